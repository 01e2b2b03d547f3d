import { describe, expect, it, vi } from 'vitest'
import type { Change } from '../../../src/core/runtime/change.js'
import { createContext } from '../../../src/core/runtime/context.js'
import { deleteVault } from '../../../src/core/vaults/delete-vault.js'
import { createVaultService, type Item, StorageError, type VaultStore } from '../../../src/index.js'
import { createFaultyStore } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { createCall } from '../../support/core/create-call.js'
import { addFile, addNote } from '../../support/items/fill-vault.js'
import { fileRef, itemRef } from '../../support/items/refs.js'
import {
  conflict,
  notFound,
  storageFailed,
  versionMismatch,
} from '../../support/service/rejections.js'
import { type ContendedVault, createContendedVault } from '../../support/stores/contended-store.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'
import { createRecordingStore } from '../../support/stores/stores.js'

describe('deleteVault', () => {
  it('deletes all records and blobs of items in any state', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId } = vault
    for (const state of ['ARCHIVED', 'DELETED'] as const) {
      const { id: itemId } = await addNote(vault)
      await addFile(vault, itemId)
      await service.setItemState(caller, { vaultId, itemId, state })
    }
    expect((await vault.store.listRemaining()).length).toBeGreaterThan(10)
    expect(await service.deleteVault(caller, { vaultId })).toBeUndefined()
    expect(await vault.store.listRemaining()).toEqual([])
    const gone = notFound('vault', vaultId)
    await expect(service.getItem(caller, itemRef(vault))).rejects.toMatchObject(gone)
    await expect(service.readFileContent(caller, fileRef(vault))).rejects.toMatchObject(gone)
  })

  it('deletes nothing when ifVersion is not the attributeVersion of the vault', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId } = vault
    await service.updateVault(caller, { vaultId, name: 'Renamed' })
    const before = await vault.store.listRemaining()
    for (const ifVersion of [0, 1, 3])
      await expect(service.deleteVault(caller, { vaultId, ifVersion })).rejects.toMatchObject({
        ...versionMismatch(vaultId),
        message: `vault ${vaultId} is not at the expected version`,
      })
    expect(await vault.store.listRemaining()).toEqual(before)
    await service.deleteVault(caller, { vaultId, ifVersion: 2 })
    expect(await vault.store.listRemaining()).toEqual([])
  })

  it('keeps other vaults', async () => {
    const vault = await createContendedVault()
    const { service, caller, vaultId } = vault
    const other = await service.createVault(caller, { name: 'Other' })
    const kept = await addNote({ ...vault, vaultId: other.id })
    const file = await addFile({ ...vault, vaultId: other.id }, kept.id)
    await service.deleteVault(caller, { vaultId })
    expect(await service.getVault(caller, { vaultId: other.id })).toStrictEqual(other)
    const ref = { vaultId: other.id, itemId: kept.id, fileId: file.id }
    expect((await service.readFileContent(caller, ref)).size).toBe(4)
  })

  it('deletes the items, then the vault, then lists its contents again', async () => {
    const vault = await createContendedVault()
    const { vaultId, item } = vault
    const callsBefore = vault.store.done.length
    await vault.service.deleteVault(vault.caller, { vaultId })
    const done = vault.store.done
      .slice(callsBefore)
      .filter((call) => !call.includes('pending-blobs/'))
    expect(done[0]).toBe(`delete items/${vaultId}/${item.id}`)
    expect(done.at(-1)).toBe(`put vaults/${vaultId}`)
    const empty = createRecordingStore()
    const service = createVaultService({ store: empty })
    await service.createVault(vault.caller, { name: 'Empty', vaultId })
    empty.calls.length = 0
    await service.deleteVault(vault.caller, { vaultId })
    const lists = Array(4).fill('records.list')
    expect(empty.calls).toEqual(['records.get', ...lists, 'records.put', ...lists])
  })

  it('records and emits the change of the vault around those of its items', async () => {
    const vault = await createContendedVault()
    const { vaultId, item } = vault
    const other = await addNote(vault)
    const changes: (readonly [string, Change])[] = []
    const call = createCall(createContext({ store: vault.store }), vault.caller, {
      beginChange: async (change) => void changes.push(['before', change]),
      afterChange: (change) => void changes.push(['after', change]),
    })
    await deleteVault.run(call, { vaultId })
    const vaultChange = { type: 'vault.deleted', vaultId, version: 1 } as const
    const itemCalls = ({ id: itemId, version }: Item) =>
      ['before', 'after'].map((when) => [when, { type: 'item.deleted', vaultId, itemId, version }])
    expect(changes.at(0)).toEqual(['before', vaultChange])
    expect(changes.at(-1)).toEqual(['after', vaultChange])
    expect(changes).toHaveLength(6)
    // The items are deleted at the same time, so only the order of the changes of one item is fixed.
    for (const deleted of [item, other])
      expect(changes.filter(([, { itemId }]) => itemId === deleted.id)).toEqual(itemCalls(deleted))
  })

  it('deletes nothing when the change cannot be recorded', async () => {
    const vault = await createContendedVault()
    const store = createRecordingStore(vault.store)
    const call = createCall(createContext({ store }), vault.caller, {
      beginChange: () => Promise.reject(new StorageError('the activity could not be recorded')),
    })
    const deletion = deleteVault.run(call, { vaultId: vault.vaultId })
    await expect(deletion).rejects.toMatchObject(storageFailed)
    expect(store.calls).toEqual(['records.get'])
  })
})

describe('deleteVault with a failing store', () => {
  it.each(['fail-before', 'fail-after'] as const)(
    'can be repeated while the vault exists: %s at each call',
    async (fault) => {
      const complete = await createContendedVault()
      const recording = createRecordingStore(complete.store)
      await createVaultService({ store: recording }).deleteVault(complete.caller, {
        vaultId: complete.vaultId,
      })
      for (const crashIndex of recording.calls.keys()) {
        const vault = await createContendedVault()
        const { service, caller, vaultId } = vault
        const store = createFaultyStore(vault.store, ({ index }) => {
          if (index < crashIndex) return undefined
          return index === crashIndex ? fault : 'fail-before'
        })
        const outcome: unknown = await createVaultService({ store })
          .deleteVault(caller, { vaultId })
          .catch((error: unknown) => error)
        if (outcome !== undefined) expect(outcome).toMatchObject(storageFailed)
        const exists = await service.getVault(caller, { vaultId }).catch(() => false)
        if (exists) await service.deleteVault(caller, { vaultId })
        await collectAfterAnHour(vault)
        expect(await vault.store.listRemaining()).toEqual([])
      }
    },
  )

  it('removes the leftovers of crashed calls', async () => {
    const vault = await createContendedVault()
    const { caller, vaultId, item } = vault
    const crash = (method: string): VaultStore => {
      let hasCrashed = false
      return createFaultyStore(vault.store, (call) => {
        const before = hasCrashed
        hasCrashed ||= call.method === method
        return before ? 'fail-before' : undefined
      })
    }
    const uploading = createVaultService({ store: crash('write') })
    await expect(addFile({ ...vault, service: uploading }, item.id)).rejects.toThrow()
    await createVaultService({ store: crash('delete') }).deleteItem(caller, itemRef(vault))
    // A version that was archived while its item was deleted concurrently.
    const lost = { collection: `versions/${vaultId}`, id: `${'b'.repeat(26)}.0000000001` }
    await vault.store.records.put(lost, { body: utf8('lost') }, 0)
    const left = await vault.store.listRemaining()
    for (const kind of ['pending-blobs/', 'versions/', `${vaultId}/`])
      expect(left.filter((id) => id.startsWith(kind)).length).toBeGreaterThan(0)
    await vault.service.deleteVault(caller, { vaultId })
    const rest = await vault.store.listRemaining()
    expect(rest.filter((id) => !id.startsWith('pending-blobs/'))).toEqual([])
    await collectAfterAnHour(vault)
    expect(await vault.store.listRemaining()).toEqual([])
  })
})

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

/** Pending-blob records are kept for an hour, in case a late writer still stores the blob. */
async function collectAfterAnHour({
  service,
  caller,
  vaultId,
  clock,
}: ContendedVault): Promise<void> {
  clock.advance(3_600_000)
  await service.collectGarbage(caller, { vaultId }).catch(() => {})
}
