/** Verifies that a server does the job that is measured. */

import {
  content,
  draft,
  file,
  fileId,
  listedCount,
  patch,
  patchedValues,
  token,
  vaultId,
} from '../sample.js'
import { itemsPath, listedPath } from './requests.js'

/** The members of responses that are verified. */
interface Body {
  readonly title?: string
  readonly version?: number
  readonly fields?: readonly { readonly label?: string; readonly value?: string }[]
  readonly content?: string
}

/** @throws Error unless the server handles all operations and, unless it is bare, rejects others. */
export async function verifyServer(
  name: string,
  port: number,
  [first = '', itemId = '']: readonly string[],
): Promise<void> {
  const send = async (method: string, path: string, body?: object, bearer = token) => {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...init })
    const text = await response.text()
    const tag = response.headers.get('etag')
    const result: Body = text === '' ? {} : JSON.parse(text)
    return { status: response.status, tag, body: result, size: text.length }
  }
  const check = (title: string, isCorrect: boolean): void => {
    if (!isCorrect) throw new Error(`${name} does not do the job: ${title}`)
  }
  const created = await send('POST', itemsPath, draft(1))
  check('create', created.status === 200 && created.body.title === draft(1).title)
  check('size', created.size > 2200 && created.body.fields?.length === 20)
  const replaced = await send('PUT', `${itemsPath}/${itemId}`, draft(2))
  check('replace', replaced.status === 200 && replaced.body.title === draft(2).title)
  const patched = await send('PATCH', `${itemsPath}/${itemId}`, patch(3))
  check('patch', patched.status === 200 && patched.size > 2200)
  const found = await send('GET', `${itemsPath}/${first}`)
  check('get', found.status === 200 && found.body.fields?.length === 20)
  const listed = await send('GET', listedPath)
  check('list', Array.isArray(listed.body) && listed.body.length === listedCount)
  const inline = await send('GET', `${itemsPath}/${first}/files/${fileId}?inline_files=true`)
  check('content', inline.body.content === Buffer.from(content).toString('base64'))
  const details = new Map(Object.entries<unknown>({ ...inline.body }))
  for (const [key, value] of Object.entries(file(first))) check(key, details.get(key) === value)
  check('token', (await send('GET', listedPath, undefined, 'x')).status === 401)
  if (name === 'bare') return
  const { title, label, value } = patchedValues(3)
  check('version', patched.body.version === (replaced.body.version ?? 0) + 1)
  check('etag', patched.tag === `"${patched.body.version}"`)
  check('attribute', patched.body.title === title)
  check('label', patched.body.fields?.[11]?.label === label)
  check('value', patched.body.fields?.[17]?.value === value)
  check('bad body', (await send('POST', itemsPath, { vault: { id: vaultId } })).status === 400)
}
