import { describe, expect, it } from 'vitest'
import { createVaultService, type Item, type VaultStore } from '../../../src/index.js'
import { createTestVault, noteDraft, type TestVault } from '../../../src/testing.js'
import { invalid, notFound } from '../../support/service/rejections.js'
import { recordingStore } from '../../support/stores/stores.js'

const absent = 'b'.repeat(26)

describe('getItems', () => {
  it('answers the items in the order of the ids, each as getItem does', async () => {
    const vault = await createTestVault()
    const [one, two] = [await note(vault, 'One'), await note(vault, 'Two')]
    expect(await getItems(vault, [two.id, vault.item.id, one.id])).toStrictEqual([
      two,
      vault.item,
      one,
    ])
  })

  it('leaves out what is not there, what is deleted, and what lies in another vault', async () => {
    const vault = await createTestVault()
    const { service, caller, vaultId } = vault
    const deleted = await note(vault, 'Deleted')
    await service.setItemState(caller, { vaultId, itemId: deleted.id, state: 'DELETED' })
    const archived = await note(vault, 'Archived')
    await service.setItemState(caller, { vaultId, itemId: archived.id, state: 'ARCHIVED' })
    const { id: otherVault } = await service.createVault(caller, { name: 'Other' })
    const elsewhere = await note({ ...vault, vaultId: otherVault }, 'Elsewhere')
    const ids = [absent, deleted.id, archived.id, elsewhere.id, vault.item.id]
    expect((await getItems(vault, ids)).map(({ id }) => id)).toEqual([archived.id, vault.item.id])
  })

  it('answers nothing where none of them is there', async () => {
    expect(await getItems(await createTestVault(), [absent])).toEqual([])
  })

  it.each<[string, unknown, string]>([
    ['no ids', undefined, 'itemIds must be an array'],
    ['none', [], 'itemIds must be at least 1 elements long'],
    ['a malformed one', [absent, 'X'], 'itemIds/1 has an invalid format'],
    ['one that is no text', [7], 'itemIds/0 must be a string'],
    ['one twice', [absent, absent], 'itemIds must not contain duplicates'],
    ['101 ids', ids(101), 'itemIds must be at most 100 elements long'],
  ])('refuses %s', async (_, itemIds, message) => {
    const vault = await createTestVault()
    await expect(getItems(vault, itemIds as string[])).rejects.toMatchObject(invalid(message))
  })

  it('takes 100 ids', async () => {
    const vault = await createTestVault()
    expect(await getItems(vault, [...ids(99), vault.item.id])).toStrictEqual([vault.item])
  })

  it('says when there is no such vault', async () => {
    const vault = await createTestVault()
    const vaultId = 'z'.repeat(26)
    await expect(getItems({ ...vault, vaultId }, [vault.item.id])).rejects.toMatchObject(
      notFound('vault', vaultId),
    )
  })

  it('refuses more than one item whose records are larger than the limit together', async () => {
    const vault = await createTestVault()
    const notes = [await note(vault, 'a'.repeat(2000)), await note(vault, 'b'.repeat(2000))]
    const itemIds = notes.map(({ id }) => id)
    const bytes = await Promise.all(
      itemIds.map(async (id) => {
        const record = await vault.store.records.get({ collection: `items/${vault.vaultId}`, id })
        return record?.body.length ?? 0
      }),
    )
    const total = bytes.reduce((sum, one) => sum + one)
    const under = (getItemsBytes: number): typeof vault => ({
      ...vault,
      service: createVaultService({ store: vault.store, limits: { getItemsBytes } }),
    })
    expect(await getItems(under(total), itemIds)).toStrictEqual(notes)
    await expect(getItems(under(total - 1), itemIds)).rejects.toMatchObject({
      code: 'CONTENT_TOO_LARGE',
      status: 413,
      message: 'the items are too large for one answer: ask for fewer items',
    })
    expect(await getItems(under(0), itemIds.slice(0, 1))).toStrictEqual(notes.slice(0, 1))
  })

  it('reads no more than 8 items at the same time, and none after the limit', async () => {
    const vault = await createTestVault()
    const { records, blobs } = vault.store
    let [open, most, all] = [0, 0, 0]
    const get: VaultStore['records']['get'] = async (key) => {
      all++
      most = Math.max(most, ++open)
      await new Promise(setImmediate)
      open--
      return records.get(key)
    }
    const store = { records: { ...records, get }, blobs }
    await getItems({ ...vault, service: createVaultService({ store }) }, [
      ...ids(99),
      vault.item.id,
    ])
    expect([most, all]).toEqual([8, 101])
    const service = createVaultService({ store, limits: { getItemsBytes: 1 } })
    const refused = getItems({ ...vault, service }, [vault.item.id, ...ids(99)])
    await expect(refused).rejects.toMatchObject({ status: 413 })
    expect(all).toBe(101 + 8)
  })

  it('reads the items at the same time, and the vault only where one is missing', async () => {
    const vault = await createTestVault()
    const other = await note(vault, 'Other')
    const { records, blobs } = vault.store
    const all = Promise.withResolvers<void>()
    let waiting = 0
    const patient: VaultStore = {
      records: {
        ...records,
        get: async (key) => {
          if (++waiting === 2) all.resolve()
          await all.promise
          return records.get(key)
        },
      },
      blobs,
    }
    const store = recordingStore(patient)
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

function note({ service, caller, vaultId }: TestVault, title: string): Promise<Item> {
  return service.createItem(caller, { vaultId, item: noteDraft(vaultId, { title }) })
}

function ids(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${index}`.padStart(26, '0'))
}
