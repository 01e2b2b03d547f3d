import { describe, expect, it } from 'vitest'
import { createVaultService, type VaultStore } from '../../../src/index.js'
import { utf8 } from '../../support/bytes.js'
import { addFile, addNote } from '../../support/items/fill-vault.js'
import { itemRef } from '../../support/items/refs.js'
import { createSpyLog } from '../../support/service/observed-calls.js'
import { type ContendedVault, createContendedVault } from '../../support/stores/contended-store.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'

const hourMs = 3_600_000

describe('collectGarbage in a partly deleted vault', () => {
  it('removes the leftovers and returns the number of blobs', async () => {
    const vault = await createContendedVault()
    await forgetVault(vault)
    expect(await vault.service.collectGarbage(vault.caller, { vaultId: vault.vaultId })).toBe(2)
    expect(await vault.store.listRemaining()).toEqual([])
  })

  it('removes the blobs of a recent upload without waiting', async () => {
    const vault = await createContendedVault()
    await leavePendingBlobs(vault, [`${vault.vaultId}/${'a'.repeat(26)}`])
    await vault.service.deleteItem(vault.caller, itemRef(vault))
    await forgetVault(vault)
    expect(await vault.service.collectGarbage(vault.caller, { vaultId: vault.vaultId })).toBe(1)
    expect(await vault.store.listRemaining()).toEqual([
      `pending-blobs/${vault.vaultId}/${'m'.repeat(26)}`,
    ])
    vault.clock.advance(hourMs)
    expect(await vault.service.collectGarbage(vault.caller, { vaultId: vault.vaultId })).toBe(0)
    expect(await vault.store.listRemaining()).toEqual([])
  })

  it('removes nothing when a vault with the same id is created concurrently', async () => {
    const vault = await createContendedVault()
    const { caller, vaultId } = vault
    await forgetVault(vault)
    const competitor = createVaultService({ store: vault.store })
    const service = createVaultService({
      store: vault.store,
      activity: createSpyLog(({ action }) =>
        action === 'UPDATE'
          ? competitor.createVault(caller, { vaultId, name: 'Again' })
          : undefined,
      ),
    })
    expect(await service.collectGarbage(caller, { vaultId: vault.vaultId })).toBe(0)
    expect(await vault.store.listRemaining()).toEqual([`vaults/${vaultId}`])
  })

  it('has one entry, whatever it deletes', async () => {
    const vault = await createContendedVault()
    await addNote(vault)
    const { caller, vaultId } = vault
    const version = { collection: `versions/${vaultId}`, id: `${'a'.repeat(26)}.0000000001` }
    await vault.store.records.put(version, { body: utf8('x') }, 0)
    await forgetVault(vault)
    const activity = createSpyLog()
    const service = createVaultService({ store: vault.store, activity })
    await service.collectGarbage(caller, { vaultId: vault.vaultId })
    const entry = { action: 'UPDATE', resource: { type: 'VAULT', vault: { id: vaultId } } }
    expect(activity.collected).toMatchObject([
      { ...entry, result: 'PENDING' },
      { ...entry, result: 'SUCCESS' },
    ])
  })
})

describe('collectGarbage in a vault with versions of deleted items', () => {
  it('removes them without waiting and keeps those of other items', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId, store } = vault
    const listVersionKeys = async (): Promise<string[]> =>
      (await store.listRemaining()).filter((key) => key.startsWith('versions/'))
    const kept = await listVersionKeys()
    for (const [index, first] of ['0', 'a', 'z'].entries()) {
      for (let version = 0; version <= index * 40; version++) {
        const id = `${first.repeat(26)}.${String(version).padStart(10, '0')}`
        await store.records.put({ collection: `versions/${vaultId}`, id }, { body: utf8('x') }, 0)
      }
    }
    expect(await service.collectGarbage(caller, { vaultId: vault.vaultId })).toBe(0)
    expect(kept.length).toBeGreaterThan(0)
    expect(await listVersionKeys()).toEqual(kept)
  })

  it('ends at a record that is not a version of an item', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId, store } = vault
    for (const id of ['!', '.', 'a', 'a'.repeat(30), `${'a'.repeat(26)}x`, '~'.repeat(128)])
      await store.records.put({ collection: `versions/${vaultId}`, id }, { body: utf8('x') }, 0)
    expect(await service.collectGarbage(caller, { vaultId: vault.vaultId })).toBe(0)
  })
})

describe('createVault with the id of a partly deleted vault', () => {
  it('removes the leftovers first', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId } = vault
    await leavePendingBlobs(vault, [])
    await forgetVault(vault)
    await service.createVault(caller, { vaultId, name: 'Again' })
    expect(await service.listItems(caller, { vaultId: vault.vaultId })).toEqual([])
    expect(await vault.store.listRemaining()).toEqual([`vaults/${vaultId}`])
  })

  it('has one entry, also if it deletes what is left of an earlier vault', async () => {
    const vault = await createContendedVault()
    const { caller, vaultId } = vault
    await forgetVault(vault)
    const activity = createSpyLog()
    const service = createVaultService({ store: vault.store, activity })
    await service.createVault(caller, { vaultId, name: 'Again' })
    const entry = { action: 'CREATE', resource: { type: 'VAULT', vault: { id: vaultId } } }
    expect(activity.collected).toMatchObject([
      { ...entry, result: 'PENDING' },
      { ...entry, result: 'SUCCESS', resource: { vaultVersion: 1 } },
    ])
  })

  it('deletes a leftover that cannot be read', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId } = vault
    await vault.store.records.put(
      { collection: `items/${vaultId}`, id: 'x'.repeat(26) },
      { body: utf8('SECRET') },
      0,
    )
    await forgetVault(vault)
    await service.createVault(caller, { vaultId, name: 'Again' })
    expect(await service.listItems(caller, { vaultId })).toEqual([])
  })

  it('keeps the items of an existing vault', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId } = vault
    const before = await vault.store.listRemaining()
    await expect(service.createVault(caller, { vaultId, name: 'Two' })).rejects.toThrow('already')
    expect(await vault.store.listRemaining()).toEqual(before)
  })
})

describe('createItem in a vault that changes concurrently', () => {
  it('creates the item when the vault is only renamed', async () => {
    const vault = await createContendedVault()
    const { caller, vaultId } = vault
    const store = createInterruptedStore(vault.store, 'items', 'before', () =>
      vault.service.updateVault(caller, { vaultId, name: 'Other' }),
    )
    const created = await addNote({ ...vault, service: createVaultService({ store }) })
    expect(await vault.service.getItem(caller, { vaultId, itemId: created.id })).toEqual(created)
  })

  it('creates items in a vault whose record cannot be read', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId, store } = vault
    await store.records.put({ collection: 'vaults', id: vaultId }, { body: utf8('?') }, 1)
    const { id: itemId } = await addNote(vault)
    expect(await addFile(vault, itemId)).toMatchObject({ size: 4 })
    expect(await service.listItems(caller, { vaultId: vault.vaultId })).toHaveLength(2)
  })
})

/** Deletes only the record of the vault, like a deletion that was interrupted by a crash. */
async function forgetVault({ store, vaultId }: ContendedVault): Promise<void> {
  const key = { collection: 'vaults', id: vaultId }
  const stored = await store.records.get(key)
  expect(await store.records.delete(key, stored?.version ?? 0)).toBe(true)
}

/** Writes these blobs and a pending-blob record of them, written half an hour ago. */
async function leavePendingBlobs(
  { store, clock, vaultId, item }: ContendedVault,
  blobIds: readonly string[],
): Promise<void> {
  for (const id of blobIds) await store.blobs.write(id, new Blob(['left']).stream())
  const since = new Date(clock().getTime() - hourMs / 2).toISOString()
  const body = utf8(JSON.stringify({ itemId: item.id, blobIds, since }))
  const records: VaultStore['records'] = store.records
  await records.put({ collection: `pending-blobs/${vaultId}`, id: 'm'.repeat(26) }, { body }, 0)
}
