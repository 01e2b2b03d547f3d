import { describe, expect, it } from 'vitest'
import { createVaultService } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { noteDraft } from '../../support/drafts.js'
import { itemRef } from '../../support/items/refs.js'
import { notFound, storageFailed } from '../../support/service/rejections.js'
import { createRecordingStore, trackBlobs } from '../../support/stores/stores.js'

describe('listFiles', () => {
  it('returns an empty array for an item without files', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const { id: itemId } = await service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    expect(await service.listFiles(caller, { vaultId, itemId, inlineFiles: true })).toEqual([])
  })

  it('returns the small contents, and larger files without contents', async () => {
    const vault = await createTestVault()
    const { service, caller, smallFile, largeFile } = vault
    const exact = await service.attachFile(caller, {
      ...itemRef(vault),
      name: 'exact',
      content: new Uint8Array(1024),
    })
    expect(await service.listFiles(caller, { ...itemRef(vault), inlineFiles: true })).toStrictEqual(
      [
        { ...smallFile, content: btoa('hello') },
        largeFile,
        { ...exact, content: btoa('\0'.repeat(1024)) },
      ],
    )
  })

  it('inlines contents in order while they fit into the total, and reads no others', async () => {
    const vault = await createTestVault()
    const { caller } = vault
    for (const size of [600, 401, 400, 1])
      await vault.service.attachFile(caller, {
        ...itemRef(vault),
        name: `${size}`,
        content: new Uint8Array(size),
      })
    const inlinedWithin = async (inlinedBytes: number): Promise<[string[], number]> => {
      const store = createRecordingStore(vault.store)
      const service = createVaultService({ store, limits: { inlinedBytes } })
      const files = await service.listFiles(caller, { ...itemRef(vault), inlineFiles: true })
      expect(files).toHaveLength(6)
      const reads = store.calls.filter((call) => call === 'blobs.read').length
      return [files.flatMap(({ name, content }) => (content === undefined ? [] : [name])), reads]
    }
    expect(await inlinedWithin(1005)).toEqual([['hello.txt', '600', '400'], 3])
    expect(await inlinedWithin(1006)).toEqual([['hello.txt', '600', '401'], 3])
    expect(await inlinedWithin(1007)).toEqual([['hello.txt', '600', '401', '1'], 4])
    expect(await inlinedWithin(0)).toEqual([[], 0])
  })

  it('reads the record once, and only the contents that it returns', async () => {
    const vault = await createTestVault()
    const store = createRecordingStore(vault.store)
    const service = createVaultService({ store, maxInlineFileSizeKb: 1 })
    await service.listFiles(vault.caller, itemRef(vault))
    expect(store.calls).toEqual(['records.get'])
    await service.listFiles(vault.caller, { ...itemRef(vault), inlineFiles: true })
    expect(store.calls).toEqual(['records.get', 'records.get', 'blobs.read'])
  })

  it('rejects when a content to inline is not stored, and only then', async () => {
    const store = trackBlobs()
    const vault = await createTestVault({ store })
    for (const blobId of store.blobIds) await store.blobs.delete(blobId)
    const list = (inlineFiles: boolean) =>
      vault.service.listFiles(vault.caller, { ...itemRef(vault), inlineFiles })
    await expect(list(true)).rejects.toMatchObject(storageFailed)
    expect(await list(false)).toStrictEqual([vault.smallFile, vault.largeFile])
  })

  it('rejects an item that does not exist', async () => {
    const { service, caller, vaultId } = await createTestVault()
    const itemId = 'b'.repeat(26)
    await expect(service.listFiles(caller, { vaultId, itemId })).rejects.toMatchObject(
      notFound('item', itemId),
    )
  })
})
