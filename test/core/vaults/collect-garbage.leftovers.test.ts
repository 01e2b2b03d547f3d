import { describe, expect, it } from 'vitest'
import { createVaultService, type VaultStore } from '../../../src/index.js'
import { utf8 } from '../../support/bytes.js'
import { addFile, addNote } from '../../support/items/fill-vault.js'
import { itemPlace } from '../../support/items/refs.js'
import { spyLog } from '../../support/service/observed-calls.js'
import { notFound, storageFailed } from '../../support/service/rejections.js'
import { type CrowdedVault, crowdedVault } from '../../support/stores/contended-store.js'
import { interrupted } from '../../support/stores/interrupted-store.js'

const anHour = 3_600_000

describe('collectGarbage in a vault that is gone', () => {
  it('removes what was left of it, and counts the contents', async () => {
    const vault = await crowdedVault()
    await forgetVault(vault)
    expect(await vault.service.collectGarbage(vault.caller, vault)).toBe(2)
    expect(await vault.store.left()).toEqual([])
  })

  it('removes at once what an upload has left a moment ago', async () => {
    const vault = await crowdedVault()
    await leaveMark(vault, [`${vault.vaultId}/${'a'.repeat(26)}`])
    await vault.service.deleteItem(vault.caller, itemPlace(vault))
    await forgetVault(vault)
    expect(await vault.service.collectGarbage(vault.caller, vault)).toBe(1)
    expect(await vault.store.left()).toEqual([`pending-blobs/${vault.vaultId}/${'m'.repeat(26)}`])
    vault.clock.advance(anHour)
    expect(await vault.service.collectGarbage(vault.caller, vault)).toBe(0)
    expect(await vault.store.left()).toEqual([])
  })

  it('says that there is no such vault when nothing is left of it (404)', async () => {
    const vault = await crowdedVault()
    await vault.service.deleteVault(vault.caller, vault)
    await expect(vault.service.collectGarbage(vault.caller, vault)).rejects.toMatchObject(
      notFound('vault', vault.vaultId),
    )
  })

  it('leaves everything to a vault of the same id that was created meanwhile', async () => {
    const vault = await crowdedVault()
    const { caller, vaultId } = vault
    await forgetVault(vault)
    const rival = createVaultService({ store: vault.store })
    const service = createVaultService({
      store: vault.store,
      activity: spyLog(({ action }) =>
        action === 'UPDATE' ? rival.createVault(caller, { vaultId, name: 'Again' }) : undefined,
      ),
    })
    expect(await service.collectGarbage(caller, vault)).toBe(0)
    expect(await vault.store.left()).toEqual([`vaults/${vaultId}`])
  })

  it('is recorded once before anything is removed, and each item as removed', async () => {
    const vault = await crowdedVault()
    await addNote(vault)
    const { caller, vaultId } = vault
    await forgetVault(vault)
    const activity = spyLog()
    const service = createVaultService({ store: vault.store, activity })
    await service.collectGarbage(caller, vault)
    expect(activity.told).toMatchObject([
      { action: 'UPDATE', resource: { type: 'VAULT', vault: { id: vaultId } } },
      { action: 'DELETE', resource: { type: 'ITEM' } },
      { action: 'DELETE', resource: { type: 'ITEM' } },
    ])
  })
})

describe('collectGarbage in a vault with versions of items that are gone', () => {
  it('removes them without waiting, and leaves those of other items', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId, store } = vault
    const versionsOf = async (): Promise<string[]> =>
      (await store.left()).filter((ref) => ref.startsWith('versions/'))
    const kept = await versionsOf()
    for (const [index, first] of ['0', 'a', 'z'].entries()) {
      for (let version = 0; version <= index * 40; version++) {
        const id = `${first.repeat(26)}.${String(version).padStart(10, '0')}`
        await store.records.put({ collection: `versions/${vaultId}`, id }, { body: utf8('x') }, 0)
      }
    }
    expect(await service.collectGarbage(caller, vault)).toBe(0)
    expect(kept.length).toBeGreaterThan(0)
    expect(await versionsOf()).toEqual(kept)
  })

  it('ends where a record is no version of an item', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId, store } = vault
    for (const id of ['!', '.', 'a', 'a'.repeat(30), `${'a'.repeat(26)}x`, '~'.repeat(128)])
      await store.records.put({ collection: `versions/${vaultId}`, id }, { body: utf8('x') }, 0)
    expect(await service.collectGarbage(caller, vault)).toBe(0)
  })
})

describe('createVault with the id of a vault that is gone', () => {
  it('removes what was left of it first, so that nothing of it shows', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId } = vault
    await leaveMark(vault, [])
    await forgetVault(vault)
    await service.createVault(caller, { vaultId, name: 'Again' })
    expect(await service.listItems(caller, vault)).toEqual([])
    expect(await vault.store.left()).toEqual([`vaults/${vaultId}`])
  })

  it('records its own creation first, then each item as removed', async () => {
    const vault = await crowdedVault()
    const { caller, vaultId, item } = vault
    await forgetVault(vault)
    const activity = spyLog()
    const service = createVaultService({ store: vault.store, activity })
    await service.createVault(caller, { vaultId, name: 'Again' })
    expect(activity.told).toMatchObject([
      { action: 'CREATE', resource: { type: 'VAULT', vault: { id: vaultId } } },
      { action: 'DELETE', resource: { type: 'ITEM', item: { id: item.id } } },
    ])
  })

  it('creates nothing when what was left cannot be read', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId } = vault
    await vault.store.records.put(
      { collection: `items/${vaultId}`, id: 'x'.repeat(26) },
      { body: utf8('SECRET') },
      0,
    )
    await forgetVault(vault)
    const creation = service.createVault(caller, { vaultId, name: 'Again' })
    await expect(creation).rejects.toMatchObject(storageFailed)
    await expect(service.getVault(caller, vault)).rejects.toMatchObject(notFound('vault', vaultId))
  })

  it('leaves the items of a vault that is there', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId } = vault
    const before = await vault.store.left()
    await expect(service.createVault(caller, { vaultId, name: 'Two' })).rejects.toThrow('already')
    expect(await vault.store.left()).toEqual(before)
  })
})

describe('createItem in a vault that is created again meanwhile', () => {
  it.each(['before', 'after'] as const)(
    'is refused, and its item does not show in the new vault: %s its put',
    async (when) => {
      const vault = await crowdedVault()
      const { caller, vaultId, clock } = vault
      const other = createVaultService({ store: vault.store, now: clock })
      const store = interrupted(vault.store, 'items', when, async () => {
        await other.deleteVault(caller, { vaultId })
        clock.advance(1)
        await other.createVault(caller, { vaultId, name: 'Test' })
      })
      const service = createVaultService({ store, now: clock })
      await expect(addNote({ ...vault, service })).rejects.toMatchObject(notFound('vault', vaultId))
      expect(await vault.store.left()).toEqual([`vaults/${vaultId}`])
    },
  )

  it('keeps its item when the vault was only renamed', async () => {
    const vault = await crowdedVault()
    const { caller, vaultId } = vault
    const store = interrupted(vault.store, 'items', 'before', () =>
      vault.service.updateVault(caller, { vaultId, name: 'Other' }),
    )
    const created = await addNote({ ...vault, service: createVaultService({ store }) })
    expect(await vault.service.getItem(caller, { vaultId, itemId: created.id })).toEqual(created)
  })

  it('asks for nothing in a vault whose record cannot be read', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId, store } = vault
    await store.records.put({ collection: 'vaults', id: vaultId }, { body: utf8('?') }, 1)
    const { id: itemId } = await addNote(vault)
    expect(await addFile(vault, itemId)).toMatchObject({ size: 4 })
    expect(await service.listItems(caller, vault)).toHaveLength(2)
  })
})

/** What a deletion leaves whose process ended at the wrong moment: everything but the vault's record. */
async function forgetVault({ store, vaultId }: CrowdedVault): Promise<void> {
  const key = { collection: 'vaults', id: vaultId }
  const stored = await store.records.get(key)
  expect(await store.records.delete(key, stored?.version ?? 0)).toBe(true)
}

/** The contents, and a pending record of them that was written now. */
async function leaveMark(
  { store, clock, vaultId, item }: CrowdedVault,
  blobIds: readonly string[],
): Promise<void> {
  for (const id of blobIds) await store.blobs.write(id, new Blob(['left']).stream())
  const since = new Date(clock().getTime() - anHour / 2).toISOString()
  const body = utf8(JSON.stringify({ itemId: item.id, blobIds, since }))
  const records: VaultStore['records'] = store.records
  await records.put({ collection: `pending-blobs/${vaultId}`, id: 'm'.repeat(26) }, { body }, 0)
}
