import { describe, expect, it, vi } from 'vitest'
import { createCaller, StorageError, type VaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { replaceOperations } from '../../tools/reliability/support/replace-operations.js'
import { readBytes, streamOf, utf8 } from '../support/bytes.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, itemUrl, parseResponse } from '../support/http/requests.js'

describe('createHttpHandler files', () => {
  it('responds with 500 when the stored content has another size than its item has', async () => {
    for (const wrong of ['hell', 'hello!']) {
      const inner = createMemoryStore()
      const blobs = { ...inner.blobs, read: async () => streamOf([utf8(wrong)]) }
      const vault = await createTestVault({ store: { ...inner, blobs } })
      const { smallFile } = vault
      const inlined = await vault.handler(
        createRequest(vault, 'GET', itemUrl(vault, `/files/${smallFile.id}?inline_files=true`)),
      )
      expect(parseResponse(inlined)).toEqual({
        status: 500,
        body: { status: 500, message: 'Internal server error' },
      })
      const download = await vault.handler(createRequest(vault, 'GET', smallFile.content_path))
      await expect(readBytes(download.body as ReadableStream<Uint8Array>)).rejects.toThrow(
        StorageError,
      )
    }
  })

  it('stores, inlines and sends a small file without a stream', async () => {
    const streams = vi.fn()
    const construct: ProxyHandler<typeof ReadableStream>['construct'] = (target, args) => {
      streams()
      return Reflect.construct(target, args)
    }
    vi.stubGlobal('ReadableStream', new Proxy(ReadableStream, { construct }))
    try {
      const vault = await createTestVault()
      const { id, content_path } = vault.smallFile
      const get = (target: string) => vault.handler(createRequest(vault, 'GET', target))
      const inlined = parseResponse(await get(itemUrl(vault, `/files/${id}?inline_files=true`)))
      expect(inlined).toMatchObject({ status: 200, body: { content: btoa('hello') } })
      expect(await get(content_path)).toMatchObject({
        status: 200,
        headers: { 'content-length': '5', 'content-type': 'application/octet-stream' },
        body: utf8('hello'),
      })
      expect(streams).not.toHaveBeenCalled()
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it('sends the content of a store that spreads another one and overrides read', async () => {
    for (const read of [() => utf8('HELLO'), () => streamOf([utf8('HELLO')])]) {
      const inner = createMemoryStore()
      const blobs = { ...inner.blobs, read: async () => read() }
      const vault = await createTestVault({ store: { ...inner, blobs } })
      const request = createRequest(vault, 'GET', vault.smallFile.content_path)
      const { body } = await vault.handler(request)
      expect(await readBytes(body as Uint8Array | ReadableStream<Uint8Array>)).toEqual(
        utf8('HELLO'),
      )
    }
  })

  it('responds with 500 when the stored bytes have another length than the file', async () => {
    const inner = createMemoryStore()
    const blobs = { ...inner.blobs, read: async () => utf8('hell') }
    const vault = await createTestVault({ store: { ...inner, blobs } })
    const { status } = await vault.handler(
      createRequest(vault, 'GET', vault.smallFile.content_path),
    )
    expect(status).toBe(500)
  })

  it('inlines a file of the largest size, and responds with 413 to a larger one', async () => {
    const vault = await createTestVault()
    const attach = (size: number) =>
      vault.service.attachFile(vault.caller, {
        vaultId: vault.vaultId,
        itemId: vault.item.id,
        name: 'x',
        content: new Uint8Array(size),
      })
    for (const [size, status] of [
      [1024, 200],
      [1025, 413],
    ] as const) {
      const { id } = await attach(size)
      const response = await vault.handler(
        createRequest(vault, 'GET', itemUrl(vault, `/files/${id}?inline_files=true`)),
      )
      expect(response.status).toBe(status)
    }
  })

  it('cancels the content when the method is HEAD', async () => {
    const vault = await createTestVault()
    const cancelled = vi.fn()
    const content = new ReadableStream<Uint8Array>({ cancel: cancelled })
    const readFileContent: VaultService['readFileContent'] = async () => ({
      name: 'x',
      size: 5,
      content,
    })
    const handler = createHttpHandler(replaceOperations(vault.service, { readFileContent }), {
      authenticate: () => createCaller({ id: 'me', vaults: '*' }),
    })
    const response = await handler(createRequest(vault, 'HEAD', vault.smallFile.content_path))
    expect([response.body, response.headers['content-length']]).toEqual([null, '5'])
    expect(cancelled).toHaveBeenCalledOnce()
  })
})
