import { describe, expect, it } from 'vitest'
import { removeFile } from '../../../src/core/files/remove-file.js'
import { createContext } from '../../../src/core/runtime/context.js'
import { createVaultService, type Item, StorageError } from '../../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../../src/testing.js'
import { bytesOf, utf8 } from '../../support/bytes.js'
import { filePlace, itemNow, itemPlace } from '../../support/items/refs.js'
import { invalid, notFound, staleVersion, storageFailed } from '../../support/service/rejections.js'
import { interrupted } from '../../support/stores/interrupted-store.js'
import { recordingStore, watchBlobs } from '../../support/stores/stores.js'

describe('removeFile', () => {
  it('answers nothing, and the next version of the item is without the file', async () => {
    const vault = await createTestVault()
    const { service, item, largeFile } = vault
    vault.clock.advance(5000)
    const editor = { id: 'editor', can: () => true }
    expect(await service.removeFile(editor, filePlace(vault))).toBeUndefined()
    expect(await itemNow(vault)).toStrictEqual({
      ...item,
      files: [largeFile],
      version: item.version + 1,
      updatedAt: vault.clock().toISOString(),
      lastEditedBy: 'editor',
    })
  })

  it('lets the file be found no more, and leaves the others whole', async () => {
    const store = watchBlobs()
    const vault = await createTestVault({ store })
    const { service, caller, smallFile, largeFile } = vault
    await service.removeFile(caller, filePlace(vault))
    await expect(service.getFileDetails(caller, filePlace(vault))).rejects.toMatchObject(
      notFound('file', smallFile.id),
    )
    const { content } = await service.readFileContent(caller, filePlace(vault, largeFile))
    expect(await bytesOf(content)).toEqual(new Uint8Array(1025).fill(7))
    expect(store.blobIds.size).toBe(1)
  })

  it('changes the item first, then removes the content, and leaves no note', async () => {
    const vault = await createTestVault()
    const store = recordingStore(vault.store)
    await createVaultService({ store }).removeFile(vault.caller, filePlace(vault))
    expect(store.calls).toEqual([
      'records.get',
      'records.put',
      'records.put',
      'blobs.delete',
      'records.delete',
    ])
    expect(await notesOf(vault)).toEqual([])
  })

  it.each([
    ['c'.repeat(26), 'file cccccccccccccccccccccccccc not found'],
    ['123e4567-e89b-12d3-a456-426614174000', undefined],
    ['malformed', undefined],
    ['../../item', 'file not found'],
  ])(
    'finds no file %j, and writes nothing',
    async (fileId, message = `file ${fileId} not found`) => {
      const vault = await createTestVault()
      const store = recordingStore(vault.store)
      const removal = createVaultService({ store }).removeFile(
        vault.caller,
        filePlace(vault, { id: fileId }),
      )
      await expect(removal).rejects.toMatchObject({ ...notFound('file', fileId), message })
      expect(store.calls).toEqual(['records.get'])
    },
  )

  it('says that there is nothing to remove any more', async () => {
    const vault = await createTestVault()
    const remove = () => vault.service.removeFile(vault.caller, filePlace(vault))
    await remove()
    await expect(remove()).rejects.toMatchObject(notFound('file', vault.smallFile.id))
  })

  it('leaves the files of an archived item', async () => {
    const vault = await createTestVault()
    const { service, caller } = vault
    await service.setItemState(caller, { ...itemPlace(vault), state: 'ARCHIVED' })
    await expect(service.removeFile(caller, filePlace(vault))).rejects.toMatchObject(
      invalid('an archived item cannot be changed'),
    )
    expect((await itemNow(vault)).files).toStrictEqual(vault.item.files)
  })

  it('removes the file from the version that is named and from no other', async () => {
    const vault = await createTestVault()
    const { version } = vault.item
    const remove = (ifVersion: number) =>
      vault.service.removeFile(vault.caller, { ...filePlace(vault), ifVersion })
    for (const stale of [0, version - 1, version + 1])
      await expect(remove(stale)).rejects.toMatchObject(staleVersion(vault.item.id))
    expect(await itemNow(vault)).toStrictEqual(vault.item)
    expect(await remove(version)).toBeUndefined()
  })

  it('keeps a file that somebody else attaches at the same time', async () => {
    const store = watchBlobs()
    const vault = await createTestVault({ store })
    const raced = interrupted(store, 'items', 'before', () => attach(vault))
    await createVaultService({ store: raced }).removeFile(vault.caller, filePlace(vault))
    const { files, version } = await itemNow(vault)
    expect(files.map(({ name }) => name)).toEqual(['large.bin', 'new'])
    expect(version).toBe(vault.item.version + 2)
    expect(store.blobIds.size).toBe(2)
    expect(await notesOf(vault)).toEqual([])
  })

  it('leaves the content when somebody else changes the version that was named', async () => {
    const store = watchBlobs()
    const vault = await createTestVault({ store })
    const raced = interrupted(store, 'items', 'before', () => attach(vault))
    const service = createVaultService({ store: raced })
    const ifVersion = vault.item.version
    await expect(
      service.removeFile(vault.caller, { ...filePlace(vault), ifVersion }),
    ).rejects.toMatchObject(staleVersion(vault.item.id))
    expect(store.blobIds.size).toBe(3)
    expect(await notesOf(vault)).toEqual([])
  })

  it('succeeds though the content cannot be removed, which collectGarbage finds', async () => {
    const store = watchBlobs()
    const vault = await createTestVault({ store })
    const broken = createFaultyStore(store, ({ method, store: half }) =>
      half === 'blobs' && method === 'delete' ? 'fail-before' : undefined,
    )
    const service = createVaultService({ store: broken, now: vault.clock })
    expect(await service.removeFile(vault.caller, filePlace(vault))).toBeUndefined()
    expect(store.blobIds.size).toBe(2)
    vault.clock.advance(3_600_000)
    expect(await vault.service.collectGarbage(vault.caller, vault)).toBe(1)
    expect(store.blobIds.size).toBe(1)
  })

  it('lets older versions describe the file, and none of them brings it back', async () => {
    const vault = await createTestVault({ history: { maxVersions: 5 } })
    const { service, caller, item, largeFile } = vault
    await service.removeFile(caller, filePlace(vault))
    const old = { ...itemPlace(vault), version: item.version }
    expect(await service.getVersion(caller, old)).toStrictEqual(item)
    const restored: Item = await service.restoreVersion(caller, old)
    expect(restored.files).toStrictEqual([largeFile])
  })

  it('writes nothing before it is known that the change may be made', async () => {
    const vault = await createTestVault()
    const store = recordingStore(vault.store)
    const refusing = {
      beforeWrite: () => Promise.reject(new StorageError('the activity could not be recorded')),
      afterWrite: () => {},
    }
    const context = { ...createContext({ store }), hooks: refusing }
    const removal = removeFile.run({ context, caller: vault.caller }, filePlace(vault))
    await expect(removal).rejects.toMatchObject(storageFailed)
    expect(store.calls).toEqual(['records.get'])
  })
})

function attach(vault: TestVault): ReturnType<TestVault['service']['attachFile']> {
  const file = { ...itemPlace(vault), name: 'new', content: utf8('new') }
  return vault.service.attachFile(vault.caller, file)
}

async function notesOf({ store, vaultId }: TestVault): Promise<readonly unknown[]> {
  return store.records.list(`marks/${vaultId}`, { limit: 9 })
}
