/** The requests of every framework example: without a token, a new item, a streamed file. */

import { randomBytes } from 'node:crypto'

/**
 * Sends the requests to the vault at `base`, the URL up to `/v1`, with a `token` that has full
 * access. Prints a line for each response.
 * @throws Error if a response is not the expected one.
 */
export async function visit(base: string, token: string): Promise<void> {
  const send = async (
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
  ) => {
    const type =
      typeof body === 'string' ? 'application/json' : 'application/octet-stream'
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const url = `${base}/v1/vaults${path}`
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
    })
    if (!response.ok)
      throw new Error(`${method} ${path} returned ${response.status}`)
    return response
  }

  const { status } = await fetch(`${base}/v1/vaults`)
  if (status !== 401)
    throw new Error(`a request without a token returned ${status}`)
  console.log('without a token:', status)

  const vault = await (
    await send('POST', '', JSON.stringify({ name: 'Team' }))
  ).json()
  const draft = {
    category: 'SECURE_NOTE',
    vault: { id: vault.id },
    title: 'Door code',
  }
  const item = await (
    await send('POST', `/${vault.id}/items`, JSON.stringify(draft))
  ).json()
  console.log('a new item:', item.title)

  const files = `/${vault.id}/items/${item.id}/files`
  const content = randomBytes(3_000_000)
  const file = await (
    await send('POST', `${files}?name=scan.bin`, content)
  ).json()
  const chunks: Uint8Array[] = []
  const { body } = await send('GET', `${files}/${file.id}/content`)
  for await (const chunk of body ?? []) chunks.push(chunk)
  if (!Buffer.concat(chunks).equals(content))
    throw new Error('the file has changed')
  console.log(
    'its file:',
    content.length,
    'bytes in',
    chunks.length > 1 ? 'many chunks' : 'one',
  )
}
