import { describe, expect, it } from 'vitest'
import { createVaultService, type VaultStore } from '../../../src/index.js'
import { createFaultyStore, createTestVault } from '../../../src/testing.js'
import { itemRef } from '../../support/items/refs.js'
import { createRecordingStore, trackBlobs } from '../../support/stores/stores.js'

describe('deleteItem', () => {
  it('succeeds for one of several concurrent calls', async () => {
    const vault = await createTestVault()
    const deletions = [1, 2, 3].map(() => vault.service.deleteItem(vault.caller, itemRef(vault)))
    const outcomes = await Promise.allSettled(deletions)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('deletes the record, then the blobs of its files', async () => {
    const watched = trackBlobs()
    const vault = await createTestVault({ store: watched })
    expect(watched.blobIds.size).toBe(2)
    const store = createRecordingStore(watched)
    const deletion = createVaultService({ store }).deleteItem(vault.caller, itemRef(vault))
    expect(await deletion).toBeUndefined()
    expect(store.calls).toEqual([
      'records.get',
      'records.put',
      'records.delete',
      'records.list',
      'blobs.delete',
      'blobs.delete',
      'records.delete',
    ])
    expect(watched.blobIds.size).toBe(0)
    expect(await watched.records.list(`pending-blobs/${vault.vaultId}`, { limit: 1 })).toEqual([])
  })

  it('keeps the files of other items', async () => {
    const watched = trackBlobs()
    const vault = await createTestVault({ store: watched })
    const { service, caller, vaultId, item } = vault
    const other = await service.createItem(caller, { vaultId, item })
    const ref = { vaultId, itemId: other.id }
    const file = await service.attachFile(caller, {
      ...ref,
      name: 'b',
      content: Uint8Array.of(1),
    })
    await service.deleteItem(caller, itemRef(vault))
    expect(watched.blobIds.size).toBe(1)
    expect(await service.getFileDetails(caller, { ...ref, fileId: file.id })).toEqual(file)
  })

  it('resolves when a blob cannot be deleted, and deletes the others', async () => {
    const watched = trackBlobs()
    const vault = await createTestVault({ store: watched })
    let failures = 0
    const store = createFaultyStore(watched, ({ store: part, method }) =>
      part === 'blobs' && method === 'delete' && failures++ === 0 ? 'fail-before' : undefined,
    )
    await createVaultService({ store, now: vault.clock }).deleteItem(vault.caller, itemRef(vault))
    expect(watched.blobIds.size).toBe(1)
    expect(await vault.service.listItems(vault.caller, { vaultId: vault.vaultId })).toEqual([])
    vault.clock.advance(3_600_000)
    expect(await vault.service.collectGarbage(vault.caller, { vaultId: vault.vaultId })).toBe(2)
    expect(watched.blobIds.size).toBe(0)
  })

  it('deletes the newest version when a concurrent writer changes the item', async () => {
    const vault = await createTestVault()
    let isChanged = false
    const store = {
      ...vault.store,
      records: {
        ...vault.store.records,
        delete: async (
          ...[key, expectedVersion]: Parameters<typeof vault.store.records.delete>
        ) => {
          if (!isChanged) {
            isChanged = true
            await vault.service.attachFile(vault.caller, {
              ...itemRef(vault),
              name: 'late',
              content: Uint8Array.of(1),
            })
          }
          return vault.store.records.delete(key, expectedVersion)
        },
      },
    }
    const recording = createRecordingStore(store)
    await createVaultService({ store: recording }).deleteItem(vault.caller, itemRef(vault))
    expect(recording.calls.filter((call) => call !== 'records.list')).toEqual([
      'records.get',
      'records.put',
      'records.delete',
      'records.get',
      'records.put',
      'records.delete',
      ...Array(3).fill('blobs.delete'),
      'records.delete',
    ])
  })

  it('does not wait for a concurrent deletion of another item', async () => {
    const vault = await createTestVault()
    const { vaultId } = vault
    const item = await vault.service.createItem(vault.caller, { vaultId, item: vault.item })
    const released = Promise.withResolvers<void>()
    const { records, blobs } = vault.store
    const store: VaultStore = {
      records: {
        ...records,
        delete: async (key, expectedVersion) => {
          if (key.id === vault.item.id) await released.promise
          return records.delete(key, expectedVersion)
        },
      },
      blobs,
    }
    const service = createVaultService({ store })
    const waiting = service.deleteItem(vault.caller, itemRef(vault))
    await service.deleteItem(vault.caller, itemRef({ ...vault, item }))
    expect(await service.listItems(vault.caller, { vaultId: vault.vaultId })).toMatchObject([
      { id: vault.item.id },
    ])
    released.resolve()
    await waiting
    expect(await service.listItems(vault.caller, { vaultId: vault.vaultId })).toEqual([])
  })
})
