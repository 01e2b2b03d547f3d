import { describe, expect, it, vi } from 'vitest'
import { assertService } from '../../../src/core/assert-service.js'
import type { MakeDraft } from '../../../src/core/connections/save-item.js'
import { connectDialect } from '../../../src/dialects/connect.js'
import { createVaultService, type VaultService, type VaultStore } from '../../../src/index.js'
import type { TestVault } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { noteDraft } from '../../support/drafts.js'
import { createChosenVault } from '../../support/service/chosen-vault.js'
import { createSpyLog } from '../../support/service/observed-calls.js'
import { conflict, invalid, notFound } from '../../support/service/rejections.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const itemId = 'chosen'.padEnd(26, 'i')

/** A vault, the ref of an item that does not exist yet, and a function that saves it. */
async function setUp(options: Parameters<typeof createChosenVault>[0] = {}) {
  const vault = await createChosenVault({ history: { maxVersions: 9 }, ...options })
  const ref = { vaultId: vault.vaultId, itemId }
  const titled =
    (title: string): MakeDraft =>
    () =>
      noteDraft(vault.vaultId, { title })
  return { ...vault, vault, ref, titled, save: saverOf(vault) }
}

/** Returns the function that saves the item. `saveGrant` calls `saveItem` and nothing else. */
function saverOf({ service, caller, vaultId }: Pick<TestVault, 'service' | 'caller' | 'vaultId'>) {
  const ids = { vaultId, itemId }
  return (make: MakeDraft) => {
    const request = { ids, login: () => caller, readInput: () => ({ ...ids, make }) }
    return assertService(service).execute('saveGrant', request)
  }
}

describe('saveItem', () => {
  it('creates the item, then replaces it, and leaves it if make returns undefined', async () => {
    const { service, caller, ref, titled, save } = await setUp()
    const events: unknown[] = []
    service.on('item.created', ({ version }) => events.push(['created', version]))
    service.on('item.updated', ({ version }) => events.push(['updated', version]))
    const make = vi.fn(titled('one'))
    await save(make)
    expect(make.mock.calls).toEqual([[undefined, 0]])
    const first = await service.getItem(caller, ref)
    expect(first).toMatchObject({ title: 'one', version: 1 })
    make.mockReturnValue({ ...first, title: 'two' })
    await save(make)
    expect(make.mock.lastCall).toEqual([first, 1])
    const second = await service.getItem(caller, ref)
    expect(second).toEqual({ ...first, title: 'two', version: 2 })
    await save(() => undefined)
    expect(await service.getItem(caller, ref)).toEqual(second)
    expect(events).toEqual([
      ['created', 1],
      ['updated', 2],
    ])
  })

  it('leaves an item that does not exist, and rejects a vault that does not exist', async () => {
    const { service, caller, vaultId, vault, ref, save, titled } = await setUp()
    await save(() => undefined)
    await expect(service.getItem(caller, ref)).rejects.toMatchObject(notFound('item', itemId))
    const missing = 'z'.repeat(26)
    const make = vi.fn(titled('one'))
    const saving = saverOf({ ...vault, vaultId: missing })(make)
    await expect(saving).rejects.toMatchObject(notFound('vault', missing))
    expect(make).not.toHaveBeenCalled()
    expect(await service.listItems(caller, { vaultId })).toHaveLength(1)
  })

  it('continues the versions over a tombstone', async () => {
    const { service, caller, ref, save, titled } = await setUp()
    await save(titled('one'))
    await service.deleteItem(caller, ref)
    const make = vi.fn(titled('two'))
    await save(make)
    expect(make.mock.calls).toEqual([[undefined, 2]])
    expect(await service.getItem(caller, ref)).toMatchObject({ title: 'two', version: 3 })
    expect(await service.listVersions(caller, ref)).toHaveLength(1)
  })

  it('makes an item that is marked as deleted active in one write, and keeps its files', async () => {
    const { service, caller, ref, save, titled } = await setUp()
    await save(titled('one'))
    await service.attachFile(caller, { ...ref, name: 'f', content: utf8('text') })
    const deleted = await service.setItemState(caller, { ...ref, state: 'DELETED' })
    const make = vi.fn(titled('two'))
    await save(make)
    expect(make.mock.calls).toEqual([[undefined, deleted.version]])
    const saved = await service.getItem(caller, ref)
    expect(saved).toMatchObject({ title: 'two', version: 4, createdAt: deleted.createdAt })
    expect(saved.files).toEqual(deleted.files)
    expect(saved).not.toHaveProperty('state')
    const versions = await service.listVersions(caller, ref)
    expect(versions.map(({ version }) => version)).toEqual([4, 3, 2, 1])
  })

  it('rejects a change of an archived item, but calls make with it', async () => {
    const { service, caller, ref, save, titled } = await setUp()
    await save(titled('one'))
    const archived = await service.setItemState(caller, { ...ref, state: 'ARCHIVED' })
    const make = vi.fn(titled('two'))
    await expect(save(make)).rejects.toMatchObject(invalid('an archived item cannot be changed'))
    expect(make.mock.calls).toEqual([[archived, 2]])
  })

  it('keeps fields of foreign types, wherever they stand, and parses all others', async () => {
    const { service, caller, store, vaultId, ref, save } = await setUp({ strict: false })
    const fields = [
      { id: 'a', value: '1' },
      { id: 'passkey', type: 'PASSKEY', value: 'p' },
    ]
    const connected = createVaultService({ store, dialect: connectDialect })
    await connected.createItem(caller, { ...ref, item: noteDraft(vaultId, { fields }) })
    await save((before) => before && { ...before, fields: [...before.fields].reverse() })
    const { fields: reversed } = await service.getItem(caller, ref)
    expect(reversed.map(({ id, type }) => [id, type])).toEqual([
      ['passkey', 'PASSKEY'],
      ['a', 'STRING'],
    ])
    const copied = save(
      (before) => before && { ...before, fields: before.fields.map((field) => ({ ...field })) },
    )
    await expect(copied).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      issues: [{ path: 'fields/0/type' }],
    })
    const nul = save((before) => before && { ...before, title: 'a\0' })
    await expect(nul).rejects.toMatchObject({ issues: [{ path: 'title' }] })
  })

  it('begins again when another process has written meanwhile, and records the change', async () => {
    const activity = createSpyLog()
    const { vault, store, save, titled, service, caller, ref } = await setUp()
    await save(titled('one'))
    const racing = (inner: VaultStore): VaultService =>
      createVaultService({
        store: createInterruptedStore(inner, 'items', 'before', () => save(titled('other'))),
        activity,
      })
    const make = vi.fn(titled('own'))
    await saverOf({ ...vault, service: racing(store) })(make)
    expect(make.mock.calls.map(([, version]) => version)).toEqual([1, 2])
    expect(await service.getItem(caller, ref)).toMatchObject({ title: 'own', version: 3 })
    expect(activity.collected.at(-1)).toMatchObject({
      operation: 'saveGrant',
      action: 'UPDATE',
      result: 'SUCCESS',
      resource: { itemVersion: 3 },
    })
  })

  it('rejects with CONFLICT when concurrent writers win every attempt', async () => {
    const { vault, store, titled } = await setUp()
    const { records, blobs } = store
    const service = createVaultService({
      store: { records: { ...records, put: async () => false }, blobs },
      retry: { maxAttempts: 3, sleep: async () => {} },
    })
    const saving = saverOf({ ...vault, service })(titled('one'))
    await expect(saving).rejects.toMatchObject({ ...conflict, reason: 'races' })
  })

  it('leaves no item when the vault is deleted meanwhile', async () => {
    const { vault, store, service: other, caller, vaultId, titled } = await setUp()
    const service = createVaultService({
      store: createInterruptedStore(store, 'items', 'before', () =>
        other.deleteVault(caller, { vaultId }),
      ),
    })
    const saving = saverOf({ ...vault, service })(titled('one'))
    await expect(saving).rejects.toMatchObject(notFound('vault', vaultId))
    await other.createVault(caller, { vaultId, name: 'Again' })
    expect(await other.listItems(caller, { vaultId })).toEqual([])
  })

  it('costs four calls of the store for a new item, and two for one that exists', async () => {
    const { vault, store, titled } = await setUp()
    const recording = createRecordingStore(store)
    const save = saverOf({ ...vault, service: createVaultService({ store: recording }) })
    await save(titled('one'))
    expect(recording.calls).toEqual(['records.get', 'records.get', 'records.put', 'records.get'])
    recording.calls.length = 0
    await save(titled('two'))
    expect(recording.calls).toEqual(['records.get', 'records.put'])
  })
})
