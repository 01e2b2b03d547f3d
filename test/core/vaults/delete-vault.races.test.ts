import { describe, expect, it, vi } from 'vitest'
import { createVaultService, type Item, type VaultStore } from '../../../src/index.js'
import { utf8 } from '../../support/bytes.js'
import { addFile, addNote } from '../../support/items/fill-vault.js'
import { itemRef } from '../../support/items/refs.js'
import { conflict, notFound } from '../../support/service/rejections.js'
import { createContendedVault } from '../../support/stores/contended-store.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'

describe('deleteVault with concurrent calls', () => {
  it.each([
    ['rejects an item whose vault is deleted before the item is stored', 'items', 'before'],
    ['removes an item that is stored just before the vault is deleted', 'vaults', 'before'],
    ['rejects an item whose vault is deleted right after the item is stored', 'items', 'after'],
  ] as const)('%s', async (_, collection, when) => {
    const vault = await createContendedVault()
    const { caller, vaultId } = vault
    const other = createVaultService({ store: vault.store })
    const isCreate = collection === 'items'
    const meanwhile = isCreate
      ? () => other.deleteVault(caller, { vaultId })
      : () => addNote({ ...vault, service: other })
    const store = createInterruptedStore(vault.store, collection, when, meanwhile)
    const service = createVaultService({ store })
    if (isCreate) {
      await expect(addNote({ ...vault, service })).rejects.toMatchObject(notFound('vault', vaultId))
    } else await service.deleteVault(caller, { vaultId })
    expect(await vault.store.listRemaining()).toEqual([])
  })

  it('rejects an upload in progress and leaves nothing of it', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId, item } = vault
    const content = new TransformStream<Uint8Array, Uint8Array>()
    const writer = content.writable.getWriter()
    const upload = service.attachFile(caller, {
      ...itemRef(vault),
      name: 'late',
      content: content.readable,
    })
    await writer.write(utf8('half'))
    await service.deleteVault(caller, { vaultId })
    writer.write(utf8('more')).catch(() => {})
    writer.close().catch(() => {})
    await expect(upload).rejects.toMatchObject(notFound('vault', vaultId))
    await expect(addFile(vault, item.id)).rejects.toMatchObject(notFound('vault', vaultId))
    expect(await vault.store.listRemaining()).toEqual([])
  })

  it('leaves nothing of an upload whose item it deletes right after the upload', async () => {
    const vault = await createContendedVault()
    const { caller, vaultId, item } = vault
    const store = createInterruptedStore(vault.store, 'items', 'after', () =>
      vault.service.deleteVault(caller, { vaultId }),
    )
    await addFile({ ...vault, service: createVaultService({ store }) }, item.id)
    expect(await vault.store.listRemaining()).toEqual([])
  })

  it('succeeds when an item is deleted concurrently', async () => {
    const vault = await createContendedVault()
    const { caller, vaultId } = vault
    const store = createInterruptedStore(vault.store, 'pending-blobs', 'before', () =>
      vault.service.deleteItem(caller, itemRef(vault)),
    )
    await createVaultService({ store }).deleteVault(caller, { vaultId })
    expect(await vault.store.listRemaining()).toEqual([])
  })

  it.each([
    ['succeeds when the vault is renamed concurrently', {}],
    [
      'succeeds when the vault is renamed while its contents are deleted, with ifVersion',
      { ifVersion: 1 },
    ],
  ])('%s', async (_, condition) => {
    const vault = await createContendedVault()
    const { service, caller, vaultId } = vault
    const rename = vi.fn(() => service.updateVault(caller, { vaultId, name: 'New' }))
    const store = createInterruptedStore(vault.store, 'vaults', 'before', rename)
    await createVaultService({ store }).deleteVault(caller, { vaultId, ...condition })
    expect(rename).toHaveBeenCalledOnce()
    expect(await vault.store.listRemaining()).toEqual([])
  })

  it('keeps the items of a vault that is recreated with the same id', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId } = vault
    const created: Item[] = []
    const store = createInterruptedStore(vault.store, 'vaults', 'after', async () => {
      await service.createVault(caller, { name: 'Again', vaultId })
      created.push(await addNote(vault))
    })
    await createVaultService({ store }).deleteVault(caller, { vaultId })
    expect(await service.listItems(caller, { vaultId })).toMatchObject([{ id: created[0]?.id }])
  })

  it('succeeds for exactly one of several concurrent calls', async () => {
    const vault = await createContendedVault()
    const { caller, vaultId } = vault
    const services = [1, 2, 3].map(() => createVaultService({ store: vault.store }))
    const deletions = services.map((service) => service.deleteVault(caller, { vaultId }))
    const outcomes = await Promise.allSettled(deletions)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(outcome.reason).toMatchObject(notFound('vault', vaultId))
    }
    expect(await vault.store.listRemaining()).toEqual([])
  })

  it('throws CONFLICT (409) after the maximum number of attempts and keeps the vault', async () => {
    const vault = await createContendedVault()
    const { caller, vaultId } = vault
    const store: VaultStore = {
      ...vault.store,
      records: {
        ...vault.store.records,
        put: async (key, record, expectedVersion) =>
          key.collection !== 'vaults' && vault.store.records.put(key, record, expectedVersion),
      },
    }
    const service = createVaultService({ store, retry: { sleep: async () => {} } })
    await expect(service.deleteVault(caller, { vaultId })).rejects.toMatchObject({
      ...conflict,
      message: `vault ${vaultId} has too many concurrent changes`,
    })
    expect(await vault.service.getVault(caller, { vaultId })).toMatchObject({ id: vaultId })
  })
})
