import { describe, expect, it, vi } from 'vitest'
import { createCaller, StorageError, type VaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { bytesOf, streamOf, utf8 } from '../support/bytes.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { itemUrl, requestTo, saidIn } from '../support/http/requests.js'

describe('createHttpHandler files', () => {
  it('responds with 500 when the stored content has another size than its item has', async () => {
    for (const wrong of ['hell', 'hello!']) {
      const inner = createMemoryStore()
      const blobs = { ...inner.blobs, read: async () => streamOf([utf8(wrong)]) }
      const vault = await createTestVault({ store: { ...inner, blobs } })
      const { smallFile } = vault
      const inlined = await vault.handler(
        requestTo(vault, 'GET', itemUrl(vault, `/files/${smallFile.id}?inline_files=true`)),
      )
      expect(saidIn(inlined)).toEqual({
        status: 500,
        body: { status: 500, message: 'Internal server error' },
      })
      const download = await vault.handler(requestTo(vault, 'GET', smallFile.content_path))
      await expect(bytesOf(download.body as ReadableStream<Uint8Array>)).rejects.toThrow(
        StorageError,
      )
    }
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
        requestTo(vault, 'GET', itemUrl(vault, `/files/${id}?inline_files=true`)),
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
    const handler = createHttpHandler(
      { ...vault.service, readFileContent },
      { authenticate: () => createCaller('me', '*') },
    )
    const response = await handler(requestTo(vault, 'HEAD', vault.smallFile.content_path))
    expect([response.body, response.headers['content-length']]).toEqual([null, '5'])
    expect(cancelled).toHaveBeenCalledOnce()
  })
})
