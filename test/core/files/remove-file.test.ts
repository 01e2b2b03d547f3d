import { describe, expect, it } from 'vitest'
import { removeFile } from '../../../src/core/files/remove-file.js'
import { createContext } from '../../../src/core/runtime/context.js'
import { createVaultService, type Item, StorageError } from '../../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { createCall } from '../../support/core/create-call.js'
import { fileRef, getCurrentItem, itemRef } from '../../support/items/refs.js'
import { notFound, storageFailed, versionMismatch } from '../../support/service/rejections.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'
import { createRecordingStore, trackBlobs } from '../../support/stores/stores.js'

const uuid = '123e4567-e89b-12d3-a456-426614174abc'
const spellings = [uuid, uuid.toUpperCase(), '123E4567-e89b-12d3-A456-426614174aBC']

describe('removeFile', () => {
  it('resolves with undefined and removes the file in the next version of the item', async () => {
    const vault = await createTestVault()
    const { service, item, largeFile } = vault
    vault.clock.advance(5000)
    const editor = { id: 'editor', can: () => true }
    expect(await service.removeFile(editor, fileRef(vault))).toBeUndefined()
    expect(await getCurrentItem(vault)).toStrictEqual({
      ...item,
      files: [largeFile],
      version: item.version + 1,
      updatedAt: vault.clock().toISOString(),
      lastEditedBy: 'editor',
    })
  })

  it.each(spellings)('removes the file given as %s with its content, once', async (fileId) => {
    const store = trackBlobs()
    const vault = await createTestVault({ store })
    const { service, caller, item } = vault
    const ref = { ...itemRef(vault), fileId }
    await service.attachFile(caller, { ...ref, fileId: uuid, name: 'f', content: utf8('text') })
    await service.removeFile(caller, ref)
    expect((await getCurrentItem(vault)).files).toStrictEqual(item.files)
    const gone = notFound('file', fileId)
    await expect(service.getFileDetails(caller, ref)).rejects.toMatchObject(gone)
    await expect(service.removeFile(caller, ref)).rejects.toMatchObject(gone)
    expect(store.blobIds.size).toBe(2)
    expect(await listPendingBlobs(vault)).toEqual([])
  })

  it('changes the item, then deletes the blob and the pending-blob record', async () => {
    const vault = await createTestVault()
    const store = createRecordingStore(vault.store)
    await createVaultService({ store }).removeFile(vault.caller, fileRef(vault))
    expect(store.calls).toEqual([
      'records.get',
      'records.put',
      'records.put',
      'blobs.delete',
      'records.delete',
    ])
    expect(await listPendingBlobs(vault)).toEqual([])
  })

  it.each([
    ['malformed', undefined],
    ['../../item', 'file not found'],
  ])(
    'rejects the file id %j as not found and writes nothing',
    async (fileId, message = `file ${fileId} not found`) => {
      const vault = await createTestVault()
      const store = createRecordingStore(vault.store)
      const removal = createVaultService({ store }).removeFile(
        vault.caller,
        fileRef(vault, { id: fileId }),
      )
      await expect(removal).rejects.toMatchObject({ ...notFound('file', fileId), message })
      expect(store.calls).toEqual(['records.get'])
    },
  )

  it('rejects another `ifVersion` and keeps the file', async () => {
    const vault = await createTestVault()
    const { version } = vault.item
    const remove = (ifVersion: number) =>
      vault.service.removeFile(vault.caller, { ...fileRef(vault), ifVersion })
    for (const stale of [0, version - 1, version + 1])
      await expect(remove(stale)).rejects.toMatchObject(versionMismatch(vault.item.id))
    expect(await getCurrentItem(vault)).toStrictEqual(vault.item)
    expect(await remove(version)).toBeUndefined()
  })

  it('keeps a file that is attached concurrently', async () => {
    const store = trackBlobs()
    const vault = await createTestVault({ store })
    const contended = createInterruptedStore(store, 'items', 'before', () => attach(vault))
    await createVaultService({ store: contended }).removeFile(vault.caller, fileRef(vault))
    const { files, version } = await getCurrentItem(vault)
    expect(files.map(({ name }) => name)).toEqual(['large.bin', 'new'])
    expect(version).toBe(vault.item.version + 2)
    expect(store.blobIds.size).toBe(2)
    expect(await listPendingBlobs(vault)).toEqual([])
  })

  it('keeps the blob when the version with `ifVersion` is changed concurrently', async () => {
    const store = trackBlobs()
    const vault = await createTestVault({ store })
    const contended = createInterruptedStore(store, 'items', 'before', () => attach(vault))
    const service = createVaultService({ store: contended })
    const ifVersion = vault.item.version
    await expect(
      service.removeFile(vault.caller, { ...fileRef(vault), ifVersion }),
    ).rejects.toMatchObject(versionMismatch(vault.item.id))
    expect(store.blobIds.size).toBe(3)
    expect(await listPendingBlobs(vault)).toEqual([])
  })

  it('resolves when the blob cannot be deleted, which collectGarbage does later', async () => {
    const store = trackBlobs()
    const vault = await createTestVault({ store })
    const broken = createFaultyStore(store, ({ method, store: part }) =>
      part === 'blobs' && method === 'delete' ? 'fail-before' : undefined,
    )
    const service = createVaultService({ store: broken, now: vault.clock })
    expect(await service.removeFile(vault.caller, fileRef(vault))).toBeUndefined()
    expect(store.blobIds.size).toBe(2)
    vault.clock.advance(3_600_000)
    expect(await vault.service.collectGarbage(vault.caller, { vaultId: vault.vaultId })).toBe(1)
    expect(store.blobIds.size).toBe(1)
  })

  it('keeps the file in older versions, and restoreVersion does not restore it', async () => {
    const vault = await createTestVault({ history: { maxVersions: 5 } })
    const { service, caller, item, largeFile } = vault
    await service.removeFile(caller, fileRef(vault))
    const oldVersion = { ...itemRef(vault), version: item.version }
    expect(await service.getVersion(caller, oldVersion)).toStrictEqual(item)
    const restored: Item = await service.restoreVersion(caller, oldVersion)
    expect(restored.files).toStrictEqual([largeFile])
  })

  it('writes nothing when the change cannot be recorded', async () => {
    const vault = await createTestVault()
    const store = createRecordingStore(vault.store)
    const call = createCall(createContext({ store }), vault.caller, {
      beginChange: () => Promise.reject(new StorageError('the activity could not be recorded')),
    })
    const removal = removeFile.run(call, fileRef(vault))
    await expect(removal).rejects.toMatchObject(storageFailed)
    expect(store.calls).toEqual(['records.get'])
  })
})

function attach(vault: TestVault): ReturnType<TestVault['service']['attachFile']> {
  const file = { ...itemRef(vault), name: 'new', content: utf8('new') }
  return vault.service.attachFile(vault.caller, file)
}

async function listPendingBlobs({ store, vaultId }: TestVault): Promise<readonly unknown[]> {
  return store.records.list(`pending-blobs/${vaultId}`, { limit: 9 })
}
