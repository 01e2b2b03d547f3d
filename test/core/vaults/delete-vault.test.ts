import { describe, expect, it } from 'vitest'
import type { Change } from '../../../src/core/runtime/change.js'
import { createContext } from '../../../src/core/runtime/context.js'
import { deleteVault } from '../../../src/core/vaults/delete-vault.js'
import { createVaultService, type Item, StorageError, type VaultStore } from '../../../src/index.js'
import { createFaultyStore } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { addFile, addNote } from '../../support/items/fill-vault.js'
import { filePlace, itemPlace } from '../../support/items/refs.js'
import { notFound, staleVersion, storageFailed } from '../../support/service/rejections.js'
import { type CrowdedVault, crowdedVault } from '../../support/stores/contended-store.js'
import { recordingStore } from '../../support/stores/stores.js'

describe('deleteVault', () => {
  it('returns undefined and deletes the vault and its contents', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId } = vault
    expect(await service.deleteVault(caller, { vaultId })).toBeUndefined()
    const gone = notFound('vault', vaultId)
    await expect(service.getVault(caller, { vaultId })).rejects.toMatchObject(gone)
    await expect(service.listItems(caller, { vaultId })).rejects.toMatchObject(gone)
    await expect(service.getItem(caller, itemPlace(vault))).rejects.toMatchObject(gone)
    await expect(service.readFileContent(caller, filePlace(vault))).rejects.toMatchObject(gone)
    await expect(service.deleteVault(caller, { vaultId })).rejects.toMatchObject(gone)
  })

  it('deletes all records and blobs of items in any state', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId } = vault
    for (const state of ['ARCHIVED', 'DELETED'] as const) {
      const { id: itemId } = await addNote(vault)
      await addFile(vault, itemId)
      await service.setItemState(caller, { vaultId, itemId, state })
    }
    expect((await vault.store.left()).length).toBeGreaterThan(10)
    await service.deleteVault(caller, { vaultId })
    expect(await vault.store.left()).toEqual([])
  })

  it('deletes nothing when ifVersion is not the attributeVersion of the vault', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId } = vault
    await service.updateVault(caller, { vaultId, name: 'Renamed' })
    const before = await vault.store.left()
    for (const ifVersion of [0, 1, 3])
      await expect(service.deleteVault(caller, { vaultId, ifVersion })).rejects.toMatchObject({
        ...staleVersion(vaultId),
        message: `vault ${vaultId} is not at the expected version`,
      })
    expect(await vault.store.left()).toEqual(before)
    await service.deleteVault(caller, { vaultId, ifVersion: 2 })
    expect(await vault.store.left()).toEqual([])
  })

  it('keeps other vaults', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId } = vault
    const other = await service.createVault(caller, { name: 'Other' })
    const kept = await addNote({ ...vault, vaultId: other.id })
    const file = await addFile({ ...vault, vaultId: other.id }, kept.id)
    await service.deleteVault(caller, { vaultId })
    expect(await service.getVault(caller, { vaultId: other.id })).toStrictEqual(other)
    const ref = { vaultId: other.id, itemId: kept.id, fileId: file.id }
    expect((await service.readFileContent(caller, ref)).size).toBe(4)
  })

  it('allows a new, empty vault with the same id', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId } = vault
    await service.deleteVault(caller, { vaultId })
    await service.createVault(caller, { name: 'Again', vaultId })
    expect(await service.listItems(caller, { vaultId })).toEqual([])
  })

  it('deletes the items, then the vault, then lists its contents again', async () => {
    const vault = await crowdedVault()
    const { vaultId, item } = vault
    const callsBefore = vault.store.done.length
    await vault.service.deleteVault(vault.caller, { vaultId })
    const done = vault.store.done
      .slice(callsBefore)
      .filter((call) => !call.includes('pending-blobs/'))
    expect(done[0]).toBe(`delete items/${vaultId}/${item.id}`)
    expect(done.at(-1)).toBe(`put vaults/${vaultId}`)
    const empty = recordingStore()
    const service = createVaultService({ store: empty })
    await service.createVault(vault.caller, { name: 'Empty', vaultId })
    empty.calls.length = 0
    await service.deleteVault(vault.caller, { vaultId })
    const lists = Array(3).fill('records.list')
    expect(empty.calls).toEqual(['records.get', ...lists, 'records.put', ...lists])
  })

  it('calls the hooks for the vault and each item, with the items inside the vault', async () => {
    const vault = await crowdedVault()
    const { vaultId, item } = vault
    const other = await addNote(vault)
    const hookCalls: (readonly [string, Change])[] = []
    const hooks = {
      beforeWrite: async (change: Change) => void hookCalls.push(['before', change]),
      afterWrite: (change: Change) => void hookCalls.push(['after', change]),
    }
    const context = { ...createContext({ store: vault.store }), hooks }
    await deleteVault.run({ context, caller: vault.caller }, { vaultId })
    const vaultChange = { type: 'vault.deleted', vaultId, version: 1 } as const
    const itemCalls = ({ id: itemId, version }: Item) =>
      ['before', 'after'].map((when) => [when, { type: 'item.deleted', vaultId, itemId, version }])
    const items = [item, other].sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(hookCalls).toEqual([
      ['before', vaultChange],
      ...items.flatMap(itemCalls),
      ['after', vaultChange],
    ])
  })

  it('deletes nothing when beforeWrite rejects', async () => {
    const vault = await crowdedVault()
    const store = recordingStore(vault.store)
    const hooks = {
      beforeWrite: () => Promise.reject(new StorageError('the activity could not be recorded')),
      afterWrite: () => {},
    }
    const deletion = deleteVault.run(
      { context: { ...createContext({ store }), hooks }, caller: vault.caller },
      { vaultId: vault.vaultId },
    )
    await expect(deletion).rejects.toMatchObject(storageFailed)
    expect(store.calls).toEqual(['records.get'])
  })
})

describe('deleteVault with a failing store', () => {
  it.each(['fail-before', 'fail-after'] as const)(
    'can be repeated while the vault exists: %s at each call',
    async (fault) => {
      const complete = await crowdedVault()
      const recording = recordingStore(complete.store)
      await createVaultService({ store: recording }).deleteVault(complete.caller, complete)
      for (const crashIndex of recording.calls.keys()) {
        const vault = await crowdedVault()
        const { service, caller, vaultId } = vault
        const store = createFaultyStore(vault.store, ({ index }) => {
          if (index < crashIndex) return undefined
          return index === crashIndex ? fault : 'fail-before'
        })
        const outcome: unknown = await createVaultService({ store })
          .deleteVault(caller, vault)
          .catch((error: unknown) => error)
        if (outcome !== undefined) expect(outcome).toMatchObject(storageFailed)
        const exists = await service.getVault(caller, { vaultId }).catch(() => false)
        if (exists) await service.deleteVault(caller, { vaultId })
        await collectAfterAnHour(vault)
        expect(await vault.store.left()).toEqual([])
      }
    },
  )

  it('removes the leftovers of crashed calls', async () => {
    const vault = await crowdedVault()
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
    await createVaultService({ store: crash('delete') }).deleteItem(caller, itemPlace(vault))
    // A version that was archived while its item was deleted concurrently.
    const lost = { collection: `versions/${vaultId}`, id: `${'b'.repeat(26)}.0000000001` }
    await vault.store.records.put(lost, { body: utf8('lost') }, 0)
    const left = await vault.store.left()
    for (const kind of ['pending-blobs/', 'versions/', `${vaultId}/`])
      expect(left.filter((id) => id.startsWith(kind)).length).toBeGreaterThan(0)
    await vault.service.deleteVault(caller, { vaultId })
    const rest = await vault.store.left()
    expect(rest.filter((id) => !id.startsWith('pending-blobs/'))).toEqual([])
    await collectAfterAnHour(vault)
    expect(await vault.store.left()).toEqual([])
  })
})

/** Pending-blob records are kept for an hour, in case a late writer still stores the blob. */
async function collectAfterAnHour({
  service,
  caller,
  vaultId,
  clock,
}: CrowdedVault): Promise<void> {
  clock.advance(3_600_000)
  await service.collectGarbage(caller, { vaultId }).catch(() => {})
}
