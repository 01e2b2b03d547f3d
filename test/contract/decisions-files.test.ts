import { describe, expect, it } from 'vitest'
import { createVaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createRecordingStore } from '../support/stores/stores.js'
import {
  type ContractClient,
  connectClient,
  contractClient,
  expectError,
} from './support/contract-client.js'

const base32 = /^[0189][a-z2-7]{25}$/

/** Attaches a file to the stored item, of this many zero bytes. */
function attach({ vault }: ContractClient, size: number, more: object = {}) {
  const { service, caller, vaultId, item } = vault
  const content = new Uint8Array(size)
  return service.attachFile(caller, { vaultId, itemId: item.id, name: 'f', content, ...more })
}

describe('decisions on files', () => {
  it('files-1 files are attached and removed in process, and over HTTP only with extensions', async () => {
    const { send, item, vault } = await contractClient()
    const file = `${item}/files/${vault.smallFile.id}`
    expect((await send('POST', `${item}/files?name=f`, { body: 'x' })).status).toBe(405)
    expect((await send('DELETE', file)).status).toBe(405)
    const extended = await contractClient({}, { extensions: true })
    const path = `${extended.item}/files`
    expect((await extended.send('POST', `${path}?name=f`, { body: 'x' })).status).toBe(200)
    const { id } = extended.vault.smallFile
    expect((await extended.send('DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await extended.file(id)).status).toBe(404)
  })

  it('files-2 new ids are UUIDs in lower case, found in any case; with connect they are 26 characters', async () => {
    const contract = await contractClient()
    const { id } = await attach(contract, 3)
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    for (const spelling of [id, id.toUpperCase()]) {
      expect((await contract.file(spelling)).json).toMatchObject({ id })
      const content = await contract.send('GET', `${contract.item}/files/${spelling}/content`)
      expect(content.text).toBe('\0\0\0')
    }
    const connect = await connectClient()
    const file = await attach(connect, 3)
    expect(file.id).toMatch(base32)
    expect((await connect.file(file.id)).json).toStrictEqual(file)
  })

  it('files-3 files with ids of either form are found in both dialects', async () => {
    for (const client of [await contractClient(), await connectClient()])
      for (const fileId of ['a'.repeat(26), crypto.randomUUID()]) {
        const file = await attach(client, 1, { fileId })
        expect(file.id).toBe(fileId)
        expect((await client.file(fileId, '?inline_files=true')).json).toMatchObject({ id: fileId })
      }
  })

  it('files-4 attaching and removing a file is a change of the item', async () => {
    const client = await contractClient()
    const { service, caller, vaultId, item } = client.vault
    const { id: fileId } = await attach(client, 1)
    expect(await client.read()).toMatchObject({ version: item.version + 1 })
    await service.removeFile(caller, { vaultId, itemId: item.id, fileId })
    expect(await client.read()).toMatchObject({ version: item.version + 2, files: item.files })
  })

  it('files-5 up to 100 KB of 1,024 bytes are inlined unless maxInlineFileSizeKb is set', async () => {
    const client = await contractClient({ maxInlineFileSizeKb: 2 })
    const files = [await attach(client, 2048), await attach(client, 2049)]
    const replies = files.map(({ id }) => client.file(id, '?inline_files=true'))
    expect((await Promise.all(replies)).map(({ status }) => status)).toEqual([200, 413])

    const { store, caller, vaultId, item } = client.vault
    const service = createVaultService({ store })
    const inlined = async (size: number): Promise<unknown> => {
      const { id: fileId } = await attach(client, size)
      return service.getFileDetails(caller, { vaultId, itemId: item.id, fileId, inlineFiles: true })
    }
    expect(await inlined(102_400)).toHaveProperty('content')
    await expect(inlined(102_401)).rejects.toMatchObject({ code: 'CONTENT_TOO_LARGE' })
  })

  it('files-6 content that is not inlined is never read', async () => {
    const store = createRecordingStore()
    const { file, vault, send, item } = await contractClient({ store })
    const { smallFile, largeFile } = vault
    store.calls.length = 0
    await file(smallFile.id)
    await file(smallFile.id, '?inline_files=false')
    await file(largeFile.id, '?inline_files=true')
    await send('GET', `${item}/files`)
    expect(store.calls.filter((call) => call.startsWith('blobs.'))).toEqual([])
    await file(smallFile.id, '?inline_files=true')
    expect(store.calls.filter((call) => call.startsWith('blobs.'))).toEqual(['blobs.read'])
  })

  it('files-7 content_path is the path of the content from the base URL', async () => {
    const { vault, item, send } = await contractClient({}, { basePath: '/secrets' })
    const { id, content_path: path } = vault.smallFile
    expect(path).toBe(`${item}/files/${id}/content`)
    expect((await send('GET', `/secrets${path}`)).text).toBe('hello')
  })

  it('files-8 the content is an octet-stream with its length and its name (RFC 6266)', async () => {
    const client = await contractClient()
    const { content_path: path } = await attach(client, 3, { name: 'Zoë "1"\r\n.txt' })
    const { headers, text } = await client.send('GET', path)
    expect(text).toBe('\0\0\0')
    expect(headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '3',
      'content-disposition': `attachment; filename="Zo_ _1___.txt"; filename*=UTF-8''Zo%C3%AB%20%221%22%0D%0A.txt`,
    })
  })

  it('files-9 stored content of another size is 500, or a stream that breaks off', async () => {
    const memory = createMemoryStore()
    const store = {
      records: memory.records,
      blobs: { ...memory.blobs, read: async () => new Response('hell').body ?? undefined },
    }
    const { file, vault } = await contractClient({ store })
    const reply = await file(vault.smallFile.id, '?inline_files=true')
    expectError(reply, 500, /^(?!.*hell)/)
    const { service, caller, vaultId, item, smallFile } = vault
    const ref = { vaultId, itemId: item.id, fileId: smallFile.id }
    const { content } = await service.readFileContent(caller, ref)
    await expect(new Response(content).text()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })

  it('files-10 a list has the order of the item, and inlines the files that are small enough', async () => {
    const { send, item, vault } = await contractClient()
    const { smallFile, largeFile } = vault
    expect((await send('GET', `${item}/files`)).json).toStrictEqual([smallFile, largeFile])
    const { status, json } = await send('GET', `${item}/files?inline_files=true`)
    expect([status, json]).toStrictEqual([200, [{ ...smallFile, content: 'aGVsbG8=' }, largeFile]])
  })

  it('files-11 the files of a removed section stay without a section', async () => {
    const put = await contractClient()
    await put.replace()
    const patched = await contractClient()
    await patched.patch([
      { op: 'remove', path: '/fields/pin' },
      { op: 'remove', path: '/sections/0' },
    ])
    for (const { file, vault } of [put, patched]) {
      const { section, ...rest } = vault.smallFile
      expect(section).toEqual({ id: 'more' })
      expect((await file(vault.smallFile.id)).json).toStrictEqual(rest)
    }
  })
})
