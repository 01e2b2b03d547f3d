import { describe, expect, it } from 'vitest'
import { contractClient, expectError, missing } from './support/contract-client.js'

describe('contract 4.4: the details of a file', () => {
  it('4.4-1 is GET of the file of an item', async () => {
    const { send, vault, item } = await contractClient()
    const path = `${item}/files/${vault.smallFile.id}`
    const { status, json } = await send('GET', path)
    expect(status).toBe(200)
    expect(json).toStrictEqual(vault.smallFile)
    const post = await send('POST', path, { body: {} })
    expect([post.status, post.headers['allow']]).toEqual([405, 'GET, HEAD'])
  })

  it('4.4-2 the path names the vault, the item and the file; other forms are not found', async () => {
    const { send, vault, items, item } = await contractClient()
    const { id } = vault.smallFile
    const within = `${vault.item.id}/files/${id}`
    const elsewhere = [
      `/v1/vaults/${missing.vault}/items/${within}`,
      `/v1/vaults/Test/items/${within}`,
      `/v1/vaults/${missing.file}/items/${within}`,
      `${items}/${missing.item}/files/${id}`,
      `${items}/Example/files/${id}`,
      `${items}/${missing.file}/files/${id}`,
    ]
    for (const path of elsewhere) expectError(await send('GET', path), 404, `file ${id} not found`)
    for (const fileId of [missing.file, 'hello', 'a'.repeat(26), id.slice(1)])
      expectError(await send('GET', `${item}/files/${fileId}`), 404, `file ${fileId} not found`)
  })

  it('4.4-3 inline_files is a boolean', async () => {
    const { file, vault } = await contractClient()
    const { id } = vault.smallFile
    for (const query of ['', '?inline_files=false', '?inline_files=true'])
      expect((await file(id, query)).status).toBe(200)
    for (const query of [
      '?inline_files=',
      '?inline_files=1',
      '?inline_files=TRUE',
      '?inline_files',
    ])
      expectError(await file(id, query), 400, 'inline_files must be true or false')
  })

  it('4.4-4 inline_files=true returns the content in base64', async () => {
    const { file, vault } = await contractClient()
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    const content = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const { id } = await vault.service.attachFile(vault.caller, { ...ref, name: 'f', content })
    const { json } = await file(id, '?inline_files=true')
    expect(json).toMatchObject({ content: Buffer.from(content).toString('base64') })
  })

  it('4.4-5 returns 200 with the file', async () => {
    const { file, vault } = await contractClient()
    const { id } = vault.smallFile
    const content_path = `/v1/vaults/${vault.vaultId}/items/${vault.item.id}/files/${id}/content`
    const { status, json } = await file(id)
    expect(status).toBe(200)
    const section = { id: 'more' }
    expect(json).toStrictEqual({ id, name: 'hello.txt', size: 5, content_path, section })
  })

  it('4.4-6 content is returned only with inline_files=true up to the maximum inline size', async () => {
    const { file, vault } = await contractClient()
    const ref = { vaultId: vault.vaultId, itemId: vault.item.id }
    const content = new Uint8Array(1024)
    const { id } = await vault.service.attachFile(vault.caller, { ...ref, name: 'f', content })
    const inlined = await file(id, '?inline_files=true')
    expect(inlined.json).toHaveProperty('content', btoa('\0'.repeat(1024)))
    for (const query of ['', '?inline_files=false'])
      expect((await file(id, query)).json).not.toHaveProperty('content')
    expect((await file(vault.largeFile.id, '?inline_files=true')).status).toBe(413)
  })

  it('4.4-7 returns 401, 403, 404 and 413', async () => {
    const { file, vault } = await contractClient()
    const { smallFile, largeFile } = vault
    expectError(await file(smallFile.id, '', { as: null }), 401, 'Invalid bearer token')
    expectError(await file(smallFile.id, '', { as: 'otherVault' }), 403, /is not in scope$/)
    expectError(await file(missing.file), 404, `file ${missing.file} not found`)
    expectError(await file(largeFile.id, '?inline_files=true'), 413, /^File is too large/)
  })
})

describe('contract 4.5: other operations', () => {
  it('4.5-1 content_path and the message of 413 name a content resource under the file', async () => {
    const { file, send, vault, item } = await contractClient()
    const { id } = vault.largeFile
    const { content_path: path } = Object((await file(id)).json)
    expect(path).toBe(`${item}/files/${id}/content`)
    const { json } = await file(id, '?inline_files=true')
    expect(Reflect.get(Object(json), 'message')).toContain(` ${path} `)
    const { status, text } = await send('GET', path)
    expect([status, text.length]).toEqual([200, 1025])
  })
})
