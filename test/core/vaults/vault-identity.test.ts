import { describe, expect, it, vi } from 'vitest'
import { indexKeyOf } from '../../../src/base/index-key.js'
import { createVaultService, type RecordStore, type VaultStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createTestClock, type TestVault } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { addFile, addNote } from '../../support/items/fill-vault.js'
import { createChosenVault } from '../../support/service/chosen-vault.js'
import { notFound } from '../../support/service/rejections.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'

const preconditionFailed = { code: 'PRECONDITION_FAILED', status: 412 }

type Write = () => Promise<boolean>

/** A store whose first write of a vault never settles and happens only when `runLate` is called. */
function holdFirstWrite({ records, blobs }: VaultStore) {
  const held: Write[] = []
  const holdOrRun = (collection: string, write: Write): Promise<boolean> => {
    if (collection !== 'vaults' || held.length > 0) return write()
    held.push(write)
    return new Promise(() => {})
  }
  const runLate: Write = async () => (await held[0]?.()) ?? true
  const store: VaultStore = {
    blobs,
    records: {
      ...records,
      put: (key, record, expectedVersion) =>
        holdOrRun(key.collection, () => records.put(key, record, expectedVersion)),
      delete: (key, expectedVersion) =>
        holdOrRun(key.collection, () => records.delete(key, expectedVersion)),
    },
  }
  return { store, runLate }
}

async function recreateVault({ service, caller, vaultId }: TestVault) {
  await service.deleteVault(caller, { vaultId })
  const vault = await service.createVault(caller, { name: 'Two', vaultId })
  const item = await service.createItem(caller, {
    vaultId,
    item: { category: 'DOCUMENT', vault: { id: vaultId } },
  })
  return { vault, item }
}

async function storedVault(records: RecordStore, vaultId: string): Promise<unknown> {
  const stored = await records.get({ collection: 'vaults', id: vaultId })
  return stored && [stored.version, JSON.parse(new TextDecoder().decode(stored.body))]
}

describe('createVault after deleteVault with the same id', () => {
  it('is not affected by a late deletion of the earlier vault', async () => {
    const first = await createChosenVault()
    const { caller, vaultId, service } = first
    const { store, runLate } = holdFirstWrite(first.store)
    const timingOut = createVaultService({ store, storeTimeoutMs: 20 })
    await expect(timingOut.deleteVault(caller, { vaultId })).rejects.toMatchObject({ status: 503 })
    const { vault, item } = await recreateVault(first)
    const file = await addFile({ ...first, item }, item.id)
    expect(await runLate()).toBe(false)
    expect(await service.getVault(caller, { vaultId })).toEqual(vault)
    expect(await service.listFiles(caller, { vaultId, itemId: item.id })).toEqual([file])
  })

  it('is not affected by a late change of the earlier vault', async () => {
    const first = await createChosenVault()
    const { caller, vaultId, service } = first
    const { store, runLate } = holdFirstWrite(first.store)
    const timingOut = createVaultService({ store, storeTimeoutMs: 20 })
    const change = { vaultId, name: 'One, renamed', description: 'SECRET' }
    await expect(timingOut.updateVault(caller, change)).rejects.toMatchObject({ status: 503 })
    const { vault } = await recreateVault(first)
    expect(await runLate()).toBe(false)
    expect(await service.getVault(caller, { vaultId })).toEqual(vault)
  })

  it('starts at attributeVersion 1 and never returns the generation', async () => {
    const first = await createChosenVault()
    const { caller, vaultId, service, store } = first
    await service.updateVault(caller, { vaultId, description: 'x' })
    const { vault } = await recreateVault(first)
    expect(vault).toMatchObject({ attributeVersion: 1 })
    expect(await storedVault(store.records, vaultId)).toEqual([4, { ...vault, generation: 3 }])
    expect(await service.getVault(caller, { vaultId })).toStrictEqual(vault)
    expect(await service.listVaults(caller)).toStrictEqual([vault])
    await expect(
      service.updateVault(caller, { vaultId, name: 'Three', ifVersion: 4 }),
    ).rejects.toMatchObject(preconditionFailed)
    const three = await service.updateVault(caller, { vaultId, name: 'Three', ifVersion: 1 })
    expect(three).toStrictEqual({
      ...vault,
      name: 'Three',
      attributeVersion: 2,
      updatedAt: three.updatedAt,
    })
    expect(await service.getVault(caller, { vaultId })).toStrictEqual(three)
    await expect(service.deleteVault(caller, { vaultId, ifVersion: 1 })).rejects.toMatchObject(
      preconditionFailed,
    )
    await service.deleteVault(caller, { vaultId, ifVersion: 2 })
  })

  it('ignores the tombstone of the deleted vault, which has no name', async () => {
    const { caller, vaultId, service, store } = await createChosenVault()
    const { name } = await service.getVault(caller, { vaultId })
    await service.deleteVault(caller, { vaultId })
    expect(await storedVault(store.records, vaultId)).toEqual([2, { id: vaultId, deleted: true }])
    const indexKey = indexKeyOf(name)
    expect(await store.records.list('vaults', { limit: 9, indexKey })).toEqual([])
    expect(await service.listVaults(caller)).toEqual([])
    expect(await service.listVaults(caller, { filter: `name eq "${name}"` })).toEqual([])
    const missing = notFound('vault', vaultId)
    await expect(service.getVault(caller, { vaultId })).rejects.toMatchObject(missing)
    await expect(service.listItems(caller, { vaultId })).rejects.toMatchObject(missing)
    await expect(service.deleteVault(caller, { vaultId })).rejects.toMatchObject(missing)
    await expect(service.collectGarbage(caller, { vaultId })).rejects.toMatchObject(missing)
  })

  it.each([
    ['before the item is stored', 'before'],
    ['before the vault is created again', 'after'],
  ] as const)(
    'rejects an item of the earlier vault with the same timestamp: recreated %s',
    async (_, when) => {
      const now = createTestClock('2027-01-01T00:00:00.000Z')
      const memory = createMemoryStore()
      const first = await createChosenVault({ store: memory, now })
      const { caller, vaultId, service } = first
      const recreate = vi.fn(async () => {
        await service.deleteVault(caller, { vaultId })
        await service.createVault(caller, { name: 'Test', vaultId })
      })
      const store = createInterruptedStore(memory, 'items', when, recreate)
      const runLate = addNote({ ...first, service: createVaultService({ store, now }) })
      await expect(runLate).rejects.toMatchObject(notFound('vault', vaultId))
      expect(recreate).toHaveBeenCalledOnce()
      expect(await service.listItems(caller, { vaultId })).toEqual([])
    },
  )

  it('deletes a vault whose record is corrupt', async () => {
    const { caller, vaultId, service, store } = await createChosenVault()
    const key = { collection: 'vaults', id: vaultId }
    await store.records.put(key, { body: utf8('?') }, 1)
    await service.deleteVault(caller, { vaultId })
    expect(await storedVault(store.records, vaultId)).toEqual([3, { id: vaultId, deleted: true }])
  })

  it.each([
    '{"deleted":true}',
    '{"id":"#","deleted":true,"name":"x"}',
    '{"id":"#","deleted":true} ',
  ])('does not take the record %s for a tombstone', async (text) => {
    const { caller, vaultId, service, store } = await createChosenVault()
    const body = utf8(text.replace('#', vaultId))
    await store.records.put({ collection: 'vaults', id: vaultId }, { body }, 1)
    await expect(service.getVault(caller, { vaultId })).rejects.toMatchObject({ status: 500 })
    const onUnreadable = vi.fn()
    expect(await service.listVaults(caller, {}, { onUnreadable })).toEqual([])
    expect(onUnreadable).toHaveBeenCalledOnce()
  })
})
