import { describe, expect, it } from 'vitest'
import { createVaultService, type Item, type VaultStore } from '../../../src/index.js'
import { createTestVault, type TestVault } from '../../../src/testing.js'
import { noteDraft } from '../../support/drafts.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const absent = 'b'.repeat(26)

describe('getItems', () => {
  it('returns the items as getItem does, in the order of the ids', async () => {
    const vault = await createTestVault()
    const [one, two] = [await createNote(vault, 'One'), await createNote(vault, 'Two')]
    expect(await getItems(vault, [two.id, vault.item.id, one.id])).toStrictEqual([
      two,
      vault.item,
      one,
    ])
  })

  it('omits items that do not exist, are deleted or belong to another vault', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    const deleted = await createNote(vault, 'Deleted')
    await service.setItemState(caller, { vaultId, itemId: deleted.id, state: 'DELETED' })
    const archived = await createNote(vault, 'Archived')
    await service.setItemState(caller, { vaultId, itemId: archived.id, state: 'ARCHIVED' })
    const { id: otherVault } = await service.createVault(caller, { name: 'Other' })
    const elsewhere = await createNote({ ...vault, vaultId: otherVault }, 'Elsewhere')
    const ids = [absent, deleted.id, archived.id, elsewhere.id, vault.item.id]
    expect((await getItems(vault, ids)).map(({ id }) => id)).toEqual([archived.id, vault.item.id])
  })

  it('rejects several items whose records are larger than the limit in total', async () => {
    const vault = await createTestVault()
    const notes = [
      await createNote(vault, 'a'.repeat(2000)),
      await createNote(vault, 'b'.repeat(2000)),
    ]
    const itemIds = notes.map(({ id }) => id)
    const bytes = await Promise.all(
      itemIds.map(async (id) => {
        const record = await vault.store.records.get({ collection: `items/${vault.vaultId}`, id })
        return record?.body.length ?? 0
      }),
    )
    const total = bytes.reduce((sum, size) => sum + size)
    const withLimit = (getItemsBytes: number): typeof vault => ({
      ...vault,
      service: createVaultService({ store: vault.store, limits: { getItemsBytes } }),
    })
    expect(await getItems(withLimit(total), itemIds)).toStrictEqual(notes)
    await expect(getItems(withLimit(total - 1), itemIds)).rejects.toMatchObject({
      code: 'CONTENT_TOO_LARGE',
      status: 413,
      message: 'the items are too large for one response: request fewer items',
    })
    expect(await getItems(withLimit(0), itemIds.slice(0, 1))).toStrictEqual(notes.slice(0, 1))
  })

  it('reads up to 8 items at the same time, and none beyond the limit', async () => {
    const vault = await createTestVault()
    const { records, blobs } = vault.store
    let [pending, maxPending, calls] = [0, 0, 0]
    const get: VaultStore['records']['get'] = async (key) => {
      calls++
      maxPending = Math.max(maxPending, ++pending)
      await new Promise(setImmediate)
      pending--
      return records.get(key)
    }
    const store = { records: { ...records, get }, blobs }
    await getItems({ ...vault, service: createVaultService({ store }) }, [
      ...ids(99),
      vault.item.id,
    ])
    expect([maxPending, calls]).toEqual([8, 101])
    const service = createVaultService({ store, limits: { getItemsBytes: 1 } })
    const tooLarge = getItems({ ...vault, service }, [vault.item.id, ...ids(99)])
    await expect(tooLarge).rejects.toMatchObject({ status: 413 })
    expect(calls).toBe(101 + 8)
  })

  it('reads the items concurrently, and the vault only when an item is missing', async () => {
    const vault = await createTestVault()
    const other = await createNote(vault, 'Other')
    const { records, blobs } = vault.store
    const bothCalled = Promise.withResolvers<void>()
    let calls = 0
    const waitingStore: VaultStore = {
      records: {
        ...records,
        get: async (key) => {
          if (++calls === 2) bothCalled.resolve()
          await bothCalled.promise
          return records.get(key)
        },
      },
      blobs,
    }
    const store = createRecordingStore(waitingStore)
    const service = createVaultService({ store })
    await getItems({ ...vault, service }, [vault.item.id, other.id])
    expect(store.calls).toEqual(['records.get', 'records.get'])
    await getItems({ ...vault, service }, [vault.item.id, absent])
    expect(store.calls).toHaveLength(2 + 3)
  })
})

function getItems(
  { service, caller, vaultId }: Pick<TestVault, 'service' | 'caller' | 'vaultId'>,
  itemIds: readonly string[],
): Promise<readonly Item[]> {
  return service.getItems(caller, { vaultId, itemIds })
}

function createNote({ service, caller, vaultId }: TestVault, title: string): Promise<Item> {
  return service.createItem(caller, { vaultId, item: noteDraft(vaultId, { title }) })
}

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${index}`.padStart(26, '0'))
}
