import { describe, expect, it } from 'vitest'
import { createCallbackActivityLog } from '../../src/activity.js'
import { type ActivityEntry, createVaultService, type VaultStore } from '../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../src/testing.js'
import { utf8 } from '../support/bytes.js'
import { fileRef, itemRef } from '../support/items/refs.js'
import { trackBlobs } from '../support/stores/stores.js'

const hourMs = 3_600_000

/** A store that makes the first write of an item and returns false for it. */
function denyFirstItemWrite({ records, blobs }: VaultStore): VaultStore {
  let isDone = false
  const runAndDeny = async (collection: string, write: Promise<boolean>): Promise<boolean> => {
    const didWrite = await write
    if (isDone || !collection.startsWith('items/')) return didWrite
    isDone = true
    return false
  }
  return {
    blobs,
    records: {
      ...records,
      put: (key, record, expectedVersion) =>
        runAndDeny(key.collection, records.put(key, record, expectedVersion)),
      delete: (key, expectedVersion) =>
        runAndDeny(key.collection, records.delete(key, expectedVersion)),
    },
  }
}

async function vaultWithBlobWatch() {
  const store = trackBlobs()
  return { ...(await createTestVault({ store, history: { maxVersions: 5 } })), store }
}

async function countPendingBlobRecords({ store, vaultId }: TestVault): Promise<number> {
  return (await store.records.list(`pending-blobs/${vaultId}`, { limit: 9 })).length
}

describe('withPendingRemoval with a store that reports a removal as a conflict', () => {
  it.each([
    ['deleteItem', 0],
    ['removeFile', 1],
  ] as const)('leaves no blob after %s', async (name, files) => {
    const vault = await vaultWithBlobWatch()
    const service = createVaultService({ store: denyFirstItemWrite(vault.store), now: vault.clock })
    const call =
      name === 'deleteItem'
        ? service.deleteItem(vault.caller, itemRef(vault))
        : service.removeFile(vault.caller, fileRef(vault))
    await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(vault.store.blobIds.size).toBe(files)
    expect(await countPendingBlobRecords(vault)).toBe(0)
  })

  it('leaves the pending-blob record to collectGarbage when the item cannot be read', async () => {
    const vault = await vaultWithBlobWatch()
    let isDenied = false
    const store = createFaultyStore(denyFirstItemWrite(vault.store), ({ method, store }) => {
      if (store !== 'records' || method !== 'get') return undefined
      // The second read finds no file. The third lists the blobs that the item names.
      const reads = ++count
      isDenied ||= reads > 2
      return isDenied ? 'fail-before' : undefined
    })
    let count = 0
    const service = createVaultService({ store, now: vault.clock })
    await expect(service.removeFile(vault.caller, fileRef(vault))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await countPendingBlobRecords(vault)).toBe(1)
    vault.clock.advance(hourMs)
    expect(await vault.service.collectGarbage(vault.caller, { vaultId: vault.vaultId })).toBe(1)
    expect(vault.store.blobIds.size).toBe(1)
  })
})

describe('collectGarbage', () => {
  it('throws STORAGE_FAILED when the store repeats a page of versions', async () => {
    const vault = await vaultWithBlobWatch()
    const { records, blobs } = vault.store
    const store: VaultStore = {
      blobs,
      records: {
        ...records,
        list: (collection, { after, ...page }) =>
          records.list(
            collection,
            collection.startsWith('versions/')
              ? page
              : { ...page, ...(after !== undefined && { after }) },
          ),
      },
    }
    const service = createVaultService({ store })
    await expect(
      service.collectGarbage(vault.caller, { vaultId: vault.vaultId }),
    ).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
    })
  })

  it('changes no item when it cannot be recorded', async () => {
    const vault = await vaultWithBlobWatch()
    const entries: ActivityEntry[] = []
    const activity = createCallbackActivityLog((entry) => {
      entries.push(entry)
      throw new Error('the log is down')
    })
    for (const letter of 'mn') {
      const body = utf8(JSON.stringify({ itemId: vault.item.id, blobIds: [], since: 'x' }))
      const key = { collection: `pending-blobs/${vault.vaultId}`, id: letter.repeat(26) }
      await vault.store.records.put(key, { body }, 0)
    }
    const before = await vault.service.getItem(vault.caller, itemRef(vault))
    const service = createVaultService({ store: vault.store, now: vault.clock, activity })
    await expect(
      service.collectGarbage(vault.caller, { vaultId: vault.vaultId }),
    ).rejects.toMatchObject({
      code: 'ACTIVITY_UNAVAILABLE',
    })
    expect(await vault.service.getItem(vault.caller, itemRef(vault))).toEqual(before)
    expect(entries.map(({ resource }) => resource.item?.id)).toEqual([undefined])
  })
})

describe('deleteVault', () => {
  it('has one entry, whatever it changes and deletes', async () => {
    const vault = await vaultWithBlobWatch()
    const entries: ActivityEntry[] = []
    const activity = createCallbackActivityLog((entry) => void entries.push(entry))
    let isDone = false
    const store: VaultStore = {
      ...vault.store,
      records: {
        ...vault.store.records,
        list: async (collection, page) => {
          const listed = await vault.store.records.list(collection, page)
          // The first list of the items is empty, as if the item were created right after it.
          if (!collection.startsWith('items/') || isDone) return listed
          isDone = true
          return []
        },
      },
    }
    const body = utf8(JSON.stringify({ itemId: vault.item.id, blobIds: [], since: 'x' }))
    const key = { collection: `pending-blobs/${vault.vaultId}`, id: 'm'.repeat(26) }
    await vault.store.records.put(key, { body }, 0)
    await createVaultService({ store, activity }).deleteVault(vault.caller, {
      vaultId: vault.vaultId,
    })
    const resource = { type: 'VAULT', vault: { id: vault.vaultId } }
    expect(entries).toMatchObject([
      { result: 'PENDING', action: 'DELETE', resource },
      { result: 'SUCCESS', action: 'DELETE', resource: { ...resource, vaultVersion: 1 } },
    ])
    expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(1)
  })
})
