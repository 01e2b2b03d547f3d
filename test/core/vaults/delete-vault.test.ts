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
  it('answers nothing, and the vault is gone with everything in it', async () => {
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

  it('leaves no record and no content, whatever state the items had', async () => {
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

  it('removes nothing unless the vault has the attributeVersion that is named', async () => {
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

  it('leaves other vaults whole', async () => {
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

  it('lets the id be used again, for a vault that is empty', async () => {
    const vault = await crowdedVault()
    const { service, caller, vaultId } = vault
    await service.deleteVault(caller, { vaultId })
    await service.createVault(caller, { name: 'Again', vaultId })
    expect(await service.listItems(caller, { vaultId })).toEqual([])
  })

  it('removes the items, each as deleteItem does, then the vault, then looks once more', async () => {
    const vault = await crowdedVault()
    const { vaultId, item } = vault
    const seen = vault.store.done.length
    await vault.service.deleteVault(vault.caller, { vaultId })
    const done = vault.store.done.slice(seen).filter((call) => !call.includes('pending-blobs/'))
    expect(done[0]).toBe(`delete items/${vaultId}/${item.id}`)
    expect(done.at(-1)).toBe(`put vaults/${vaultId}`)
    const empty = recordingStore()
    const service = createVaultService({ store: empty })
    await service.createVault(vault.caller, { name: 'Empty', vaultId })
    empty.calls.length = 0
    await service.deleteVault(vault.caller, { vaultId })
    const look = Array(3).fill('records.list')
    expect(empty.calls).toEqual(['records.get', ...look, 'records.put', ...look])
  })

  it('tells of the vault and of each item, of the items first', async () => {
    const vault = await crowdedVault()
    const { vaultId, item } = vault
    const other = await addNote(vault)
    const deeds: (readonly [string, Change])[] = []
    const hooks = {
      beforeWrite: async (change: Change) => void deeds.push(['before', change]),
      afterWrite: (change: Change) => void deeds.push(['after', change]),
    }
    const context = { ...createContext({ store: vault.store }), hooks }
    await deleteVault.run({ context, caller: vault.caller }, { vaultId })
    const whole = { type: 'vault.deleted', vaultId, version: 1 } as const
    const ofItem = ({ id: itemId, version }: Item) =>
      ['before', 'after'].map((when) => [when, { type: 'item.deleted', vaultId, itemId, version }])
    const items = [item, other].sort((a, b) => (a.id < b.id ? -1 : 1))
    expect(deeds).toEqual([['before', whole], ...items.flatMap(ofItem), ['after', whole]])
  })

  it('removes nothing before it is known that the vault may be deleted', async () => {
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

describe('a vault that is deleted where the store fails', () => {
  it.each(['fail-before', 'fail-after'] as const)(
    'can be deleted again as long as it is there, whichever call it was, %s it was done',
    async (fault) => {
      const whole = await crowdedVault()
      const recording = recordingStore(whole.store)
      await createVaultService({ store: recording }).deleteVault(whole.caller, whole)
      for (const end of recording.calls.keys()) {
        const vault = await crowdedVault()
        const { service, caller, vaultId } = vault
        const store = createFaultyStore(vault.store, ({ index }) => {
          if (index < end) return undefined
          return index === end ? fault : 'fail-before'
        })
        const outcome: unknown = await createVaultService({ store })
          .deleteVault(caller, vault)
          .catch((error: unknown) => error)
        if (outcome !== undefined) expect(outcome).toMatchObject(storageFailed)
        const isThere = await service.getVault(caller, { vaultId }).catch(() => false)
        if (isThere) await service.deleteVault(caller, { vaultId })
        await sweepAgain(vault)
        expect(await vault.store.left()).toEqual([])
      }
    },
  )

  it('takes with it what a crash has left behind in it', async () => {
    const vault = await crowdedVault()
    const { caller, vaultId, item } = vault
    const crash = (method: string): VaultStore => {
      let isOver = false
      return createFaultyStore(vault.store, (call) => {
        const before = isOver
        isOver ||= call.method === method
        return before ? 'fail-before' : undefined
      })
    }
    const uploading = createVaultService({ store: crash('write') })
    await expect(addFile({ ...vault, service: uploading }, item.id)).rejects.toThrow()
    await createVaultService({ store: crash('delete') }).deleteItem(caller, itemPlace(vault))
    // A version that was kept when its item was deleted at the same time.
    const lost = { collection: `versions/${vaultId}`, id: `${'b'.repeat(26)}.0000000001` }
    await vault.store.records.put(lost, { body: utf8('lost') }, 0)
    const left = await vault.store.left()
    for (const kind of ['pending-blobs/', 'versions/', `${vaultId}/`])
      expect(left.filter((id) => id.startsWith(kind)).length).toBeGreaterThan(0)
    await vault.service.deleteVault(caller, { vaultId })
    const rest = await vault.store.left()
    expect(rest.filter((id) => !id.startsWith('pending-blobs/'))).toEqual([])
    await sweepAgain(vault)
    expect(await vault.store.left()).toEqual([])
  })
})

/** What was swept is kept noted for an hour, in case its writer stores it after all. */
async function sweepAgain({ service, caller, vaultId, clock }: CrowdedVault): Promise<void> {
  clock.advance(3_600_000)
  await service.collectGarbage(caller, { vaultId }).catch(() => {})
}
