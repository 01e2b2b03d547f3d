/** What the examples of frameworks ask their vault, wherever it is mounted: nobody, a new item, a file as it comes. */

import { randomBytes } from 'node:crypto'

/**
 * `base` is all before `/v1`, and `token` may do everything. Prints a line for each answer.
 * @throws Error if an answer is not what it should be.
 */
export async function visit(base: string, token: string): Promise<void> {
  const ask = async (method: string, path: string, body?: string | Uint8Array<ArrayBuffer>) => {
    const type = typeof body === 'string' ? 'application/json' : 'application/octet-stream'
    const headers = { authorization: `Bearer ${token}`, 'content-type': type }
    const url = `${base}/v1/vaults${path}`
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    if (!response.ok) throw new Error(`${method} ${path} is answered with ${response.status}`)
    return response
  }

  const { status } = await fetch(`${base}/v1/vaults`)
  if (status !== 401) throw new Error(`without a token the answer is ${status}`)
  console.log('without a token:', status)

  const vault = await (await ask('POST', '', JSON.stringify({ name: 'Team' }))).json()
  const draft = { category: 'SECURE_NOTE', vault: { id: vault.id }, title: 'Door code' }
  const item = await (await ask('POST', `/${vault.id}/items`, JSON.stringify(draft))).json()
  console.log('a new item:', item.title)

  const files = `/${vault.id}/items/${item.id}/files`
  const content = randomBytes(3_000_000)
  const file = await (await ask('POST', `${files}?name=scan.bin`, content)).json()
  const chunks: Uint8Array[] = []
  const { body } = await ask('GET', `${files}/${file.id}/content`)
  for await (const chunk of body ?? []) chunks.push(chunk)
  if (!Buffer.concat(chunks).equals(content)) throw new Error('the file is not what it was')
  console.log('its file:', content.length, 'bytes in', chunks.length > 1 ? 'many chunks' : 'one')
}
