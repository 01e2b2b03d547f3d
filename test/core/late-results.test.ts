import { describe, expect, it } from 'vitest'
import {
  type ActivityEntry,
  createCallbackActivityLog,
  createVaultService,
  type VaultStore,
} from '../../src/index.js'
import { createFaultyStore, createTestVault, type TestVault } from '../../src/testing.js'
import { utf8 } from '../support/bytes.js'
import { filePlace, itemPlace } from '../support/items/refs.js'
import { watchBlobs } from '../support/stores/stores.js'

const anHour = 3_600_000

/** The store, which does the first write of an item and says that it did not. */
function denying({ records, blobs }: VaultStore): VaultStore {
  let isDone = false
  const deny = async (collection: string, write: Promise<boolean>): Promise<boolean> => {
    const answer = await write
    if (isDone || !collection.startsWith('items/')) return answer
    isDone = true
    return false
  }
  return {
    blobs,
    records: {
      ...records,
      put: (key, record, seen) => deny(key.collection, records.put(key, record, seen)),
      delete: (key, seen) => deny(key.collection, records.delete(key, seen)),
    },
  }
}

async function watchedVault() {
  const store = watchBlobs()
  return { ...(await createTestVault({ store, history: { maxVersions: 5 } })), store }
}

async function notesIn({ store, vaultId }: TestVault): Promise<number> {
  return (await store.records.list(`pending-blobs/${vaultId}`, { limit: 9 })).length
}

describe('a store that does a removal and denies it', () => {
  it.each([
    ['deleteItem', 0],
    ['removeFile', 1],
  ] as const)('leaves no content after %s', async (name, files) => {
    const vault = await watchedVault()
    const service = createVaultService({ store: denying(vault.store), now: vault.clock })
    const call =
      name === 'deleteItem'
        ? service.deleteItem(vault.caller, itemPlace(vault))
        : service.removeFile(vault.caller, filePlace(vault))
    await expect(call).rejects.toMatchObject({ code: 'NOT_FOUND' })
    expect(vault.store.blobIds.size).toBe(files)
    expect(await notesIn(vault)).toBe(0)
  })

  it('leaves the note of a refused removal to a sweep when the item cannot be read', async () => {
    const vault = await watchedVault()
    let isDenied = false
    const store = createFaultyStore(denying(vault.store), ({ method, store }) => {
      if (store !== 'records' || method !== 'get') return undefined
      // The second read finds no file, the third is that of what the item names.
      const reads = ++count
      isDenied ||= reads > 2
      return isDenied ? 'fail-before' : undefined
    })
    let count = 0
    const service = createVaultService({ store, now: vault.clock })
    await expect(service.removeFile(vault.caller, filePlace(vault))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(await notesIn(vault)).toBe(1)
    vault.clock.advance(anHour)
    expect(await vault.service.collectGarbage(vault.caller, vault)).toBe(1)
    expect(vault.store.blobIds.size).toBe(1)
  })
})

describe('collectGarbage', () => {
  it('ends at a store that repeats a page of versions', async () => {
    const vault = await watchedVault()
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
    await expect(service.collectGarbage(vault.caller, vault)).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
    })
  })

  it('changes nothing that the log does not take, and nothing after that', async () => {
    const vault = await watchedVault()
    const entries: ActivityEntry[] = []
    const activity = createCallbackActivityLog((entry) => {
      entries.push(entry)
      if (entry.resource.item) throw new Error('the log is down')
    })
    for (const letter of 'mn') {
      const body = utf8(JSON.stringify({ itemId: vault.item.id, blobIds: [], since: 'x' }))
      const key = { collection: `pending-blobs/${vault.vaultId}`, id: letter.repeat(26) }
      await vault.store.records.put(key, { body }, 0)
    }
    const before = await vault.service.getItem(vault.caller, itemPlace(vault))
    const service = createVaultService({ store: vault.store, now: vault.clock, activity })
    await expect(service.collectGarbage(vault.caller, vault)).rejects.toMatchObject({
      code: 'ACTIVITY_UNAVAILABLE',
    })
    expect(await vault.service.getItem(vault.caller, itemPlace(vault))).toEqual(before)
    expect(entries.map(({ resource }) => resource.item?.id)).toEqual([undefined, vault.item.id])
  })
})

describe('deleteVault', () => {
  it('records a change of an item as UPDATE and its removal as DELETE', async () => {
    const vault = await watchedVault()
    const entries: ActivityEntry[] = []
    const activity = createCallbackActivityLog((entry) => void entries.push(entry))
    let isDone = false
    const store: VaultStore = {
      ...vault.store,
      records: {
        ...vault.store.records,
        list: async (collection, page) => {
          const listed = await vault.store.records.list(collection, page)
          // The first look at the items finds none: the item is created right after it.
          if (!collection.startsWith('items/') || isDone) return listed
          isDone = true
          return []
        },
      },
    }
    const body = utf8(JSON.stringify({ itemId: vault.item.id, blobIds: [], since: 'x' }))
    const key = { collection: `pending-blobs/${vault.vaultId}`, id: 'm'.repeat(26) }
    await vault.store.records.put(key, { body }, 0)
    const { version } = vault.item
    await createVaultService({ store, activity }).deleteVault(vault.caller, vault)
    const seen = entries.map(({ action, resource }) => [action, resource.itemVersion])
    const fenced = Number(seen[1]?.[1])
    expect(fenced).toBeGreaterThan(version)
    expect(seen).toEqual([
      ['DELETE', undefined],
      ['UPDATE', fenced],
      ['DELETE', fenced],
    ])
  })
})
