import { describe, expect, it, vi } from 'vitest'
import { connectDialect } from '../../../src/dialects/connect.js'
import {
  createCaller,
  createVaultService,
  type Item,
  type VaultService,
  type VaultStore,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createSqliteStore } from '../../../src/storage/sqlite.js'
import type { TestVault } from '../../../src/testing.js'
import { utf8 } from '../../support/bytes.js'
import { noteDraft } from '../../support/drafts.js'
import { createHttpHandler } from '../../support/http/checked-handlers.js'
import { createRequest, parseResponse } from '../../support/http/requests.js'
import { addNote } from '../../support/items/fill-vault.js'
import { createChosenVault } from '../../support/service/chosen-vault.js'
import { createSpyLog } from '../../support/service/observed-calls.js'
import { conflict, forbidden, notFound } from '../../support/service/rejections.js'
import { createContendedVault } from '../../support/stores/contended-store.js'
import { createInterruptedStore } from '../../support/stores/interrupted-store.js'
import { openNodeDatabase } from '../../support/stores/sqlite.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const itemId = 'chosen'.padEnd(26, 'i')
const history = { maxVersions: 9 }
const exists = { ...conflict, reason: 'exists', message: `item ${itemId} already exists` }
const races = { ...conflict, reason: 'races' }

type Chosen = Pick<TestVault, 'service' | 'caller' | 'vaultId'>

/** Creates an item with the chosen id, whose field `key` has this value. */
function save({ service, caller, vaultId }: Chosen, value = 'old'): Promise<Item> {
  const fields = [{ id: 'key', type: 'CONCEALED', value }] as const
  return service.createItem(caller, { vaultId, itemId, item: noteDraft(vaultId, { fields }) })
}

function remove({ service, caller, vaultId }: Chosen): Promise<void> {
  return service.deleteItem(caller, { vaultId, itemId })
}

/** Deletes the item and creates it again. */
async function saveAgain(vault: Chosen, value = 'new'): Promise<Item> {
  await remove(vault)
  return save(vault, value)
}

/** Deletes the vault and creates it again. */
async function recreateVault({ service, caller, vaultId }: Chosen): Promise<void> {
  await service.deleteVault(caller, { vaultId })
  await service.createVault(caller, { vaultId, name: 'Again' })
}

/** Returns the archived versions of the chosen id. */
async function listArchived({ store, vaultId }: TestVault) {
  const records = await store.records.list(`versions/${vaultId}`, { limit: 100 })
  return records.filter(({ id }) => id.startsWith(itemId))
}

function listItemRecords({ store, vaultId }: TestVault) {
  return store.records.list(`items/${vaultId}`, { limit: 100 })
}

describe('createItem with itemId', () => {
  it('creates the item as version 1 under this id', async () => {
    const vault = await createChosenVault()
    const { service, caller, vaultId } = vault
    const item = await save(vault)
    expect(item).toMatchObject({ id: itemId, version: 1, lastEditedBy: caller.id })
    expect(await service.getItem(caller, { vaultId, itemId })).toStrictEqual(item)
    const patch = [{ op: 'replace', path: '/fields/key/value', value: 'next' }] as const
    expect(await service.patchItem(caller, { vaultId, itemId, patch })).toMatchObject({
      version: 2,
    })
  })

  it.each([undefined, 'ARCHIVED', 'DELETED'] as const)(
    'rejects with CONFLICT, reason exists, when the item exists in state %s',
    async (state) => {
      const vault = await createChosenVault()
      const { service, caller, vaultId } = vault
      await save(vault)
      const stored = await service.setItemState(caller, { vaultId, itemId, state })
      await expect(save(vault)).rejects.toMatchObject(exists)
      const active = await service.setItemState(caller, { vaultId, itemId })
      expect(active.fields).toEqual(stored.fields)
    },
  )

  it('rejects an invalid item before it looks whether the id is taken', async () => {
    const vault = await createChosenVault()
    const { service, caller, vaultId } = vault
    await save(vault)
    const fields = [{ id: 'a' }, { id: 'a' }]
    const item = noteDraft(vaultId, { fields })
    await expect(service.createItem(caller, { vaultId, itemId, item })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    })
  })

  it('ignores the id of the draft, also that of another item', async () => {
    const { service, caller, vaultId, item } = await createChosenVault()
    const created = await service.createItem(caller, { vaultId, itemId, item })
    expect(created.id).toBe(itemId)
    expect(await service.getItem(caller, { vaultId, itemId: item.id })).toEqual(item)
  })

  it('makes one item when a call whose result was lost is made again', async () => {
    const vault = await createChosenVault()
    const { store, vaultId } = vault
    const lossy = createInterruptedStore(store, 'items', 'after', () =>
      Promise.reject(new Error('lost')),
    )
    const service = createVaultService({ store: lossy })
    await expect(save({ ...vault, service })).rejects.toMatchObject({ status: 500 })
    await expect(save({ ...vault, service })).rejects.toMatchObject(exists)
    expect(await vault.service.listItems(vault.caller, { vaultId })).toHaveLength(2)
  })

  it('lets exactly one of several concurrent calls create the item', async () => {
    const vault = await createChosenVault()
    const services = [1, 2, 3].map(() => createVaultService({ store: vault.store }))
    const calls = services.map((service) => save({ ...vault, service }))
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(exists)
  })

  it('rejects with CONFLICT, reason races, when concurrent writers win every attempt', async () => {
    const vault = await createChosenVault()
    const { records, blobs } = vault.store
    const store: VaultStore = { records: { ...records, put: async () => false }, blobs }
    const service = createVaultService({ store, retry: { maxAttempts: 3, sleep: async () => {} } })
    await expect(save({ ...vault, service })).rejects.toMatchObject(races)
    expect(service.stats.writeConflicts).toBe(3)
  })

  it('generates a value once, however often the item is built', async () => {
    const vault = await createChosenVault()
    const { caller, vaultId, store } = vault
    const values: unknown[] = []
    const interrupted = createInterruptedStore(store, 'items', 'before', async () => {
      await save(vault)
      await remove(vault)
    })
    const service = createVaultService({
      store: interrupted,
      validateItem: ({ fields }) => void values.push(fields[0]?.value),
    })
    const item = noteDraft(vaultId, { fields: [{ id: 'key', generate: true }] })
    const created = await service.createItem(caller, { vaultId, itemId, item })
    expect(created.version).toBe(3)
    expect(values).toEqual([created.fields[0]?.value, created.fields[0]?.value])
  })

  it('asks `can` for the item, and records it', async () => {
    const activity = createSpyLog()
    const vault = await createChosenVault({ activity })
    const { service, vaultId } = vault
    const caller = { id: 'one', can: vi.fn((...[, , , id]: unknown[]) => id === itemId) }
    await save({ service, caller, vaultId })
    expect(caller.can).toHaveBeenCalledWith('write', vaultId, 'createItem', itemId)
    const other = service.createItem(caller, { vaultId, item: noteDraft(vaultId) })
    await expect(other).rejects.toMatchObject(forbidden(vaultId))
    const outsider = createCaller({ id: 'outsider', vaults: {} })
    await expect(save({ service, caller: outsider, vaultId })).rejects.toMatchObject({
      status: 403,
    })
    const resource = { type: 'ITEM', vault: { id: vaultId }, item: { id: itemId } }
    expect(
      activity.collected.filter(({ operation }) => operation === 'createItem').slice(-3),
    ).toEqual([
      expect.objectContaining({
        result: 'SUCCESS',
        resource: { ...resource, itemVersion: 1 },
      }),
      expect.objectContaining({
        result: 'DENY',
        resource: { type: 'ITEM', vault: { id: vaultId } },
      }),
      expect.objectContaining({ result: 'DENY', resource }),
    ])
  })

  it('is not possible over HTTP: the id of a body, and itemId, are ignored', async () => {
    const vault = await createChosenVault({ strict: false })
    const { service, caller, vaultId } = vault
    const handler = createHttpHandler(service, { authenticate: () => caller, extensions: true })
    const draft = { ...noteDraft(vaultId), id: itemId, itemId }
    const url = `/v1/vaults/${vaultId}/items?itemId=${itemId}&item_id=${itemId}`
    const body = utf8(JSON.stringify(draft))
    const request = createRequest(vault, 'POST', url, { body })
    const { status, body: created } = parseResponse(await handler(request))
    expect([status, Object(created).id === itemId]).toEqual([200, false])
  })
})

describe('deleteItem of an item with a chosen id', () => {
  it('leaves a tombstone, over which the next item continues the versions', async () => {
    const vault = await createChosenVault()
    await save(vault)
    await remove(vault)
    const tombstone = (await listItemRecords(vault)).find(({ id }) => id === itemId)
    expect(tombstone).toMatchObject({ version: 2 })
    expect(String(Buffer.from(tombstone?.body ?? []))).toBe('{"format":1,"deleted":true}\n{}')
    expect(await save(vault)).toMatchObject({ version: 3 })
    expect(await saveAgain(vault)).toMatchObject({ version: 5 })
  })

  it('leaves nothing of an item with a random id', async () => {
    const vault = await createChosenVault()
    const recording = createRecordingStore(vault.store)
    const service = createVaultService({ store: recording })
    const { id } = await addNote({ ...vault, service })
    expect(recording.calls).toEqual(['records.get', 'records.put', 'records.get'])
    await service.deleteItem(vault.caller, { vaultId: vault.vaultId, itemId: id })
    expect((await listItemRecords(vault)).map((record) => record.id)).toEqual([vault.item.id])
  })

  it('costs one read more than with a random id to create the item', async () => {
    const vault = await createChosenVault()
    const recording = createRecordingStore(vault.store)
    await save({ ...vault, service: createVaultService({ store: recording }) })
    expect(recording.calls).toEqual(['records.get', 'records.get', 'records.put', 'records.get'])
  })

  it('makes the item missing for every operation', async () => {
    const vault = await createChosenVault({ dialect: connectDialect, history })
    const { service, caller, vaultId, item } = vault
    const ref = { vaultId, itemId }
    await save(vault)
    await service.attachFile(caller, { ...ref, name: 'f', content: utf8('text') })
    await remove(vault)
    const missing = notFound('item', itemId)
    const file = { ...ref, fileId: itemId }
    for (const call of [
      service.getItem(caller, ref),
      service.getField(caller, { ...ref, field: 'key' }),
      service.replaceItem(caller, { ...ref, item: noteDraft(vaultId) }),
      service.patchItem(caller, { ...ref, patch: [] }),
      service.patchItem(caller, { ...ref, patch: [{ op: 'add', path: '/title', value: 'x' }] }),
      service.regenerateField(caller, { ...ref, fieldId: 'key' }),
      service.setItemState(caller, ref),
      service.deleteItem(caller, ref),
      service.attachFile(caller, { ...ref, name: 'f', content: utf8('text') }),
      service.removeFile(caller, file),
      service.listFiles(caller, ref),
      service.readFileContent(caller, file),
      service.listVersions(caller, ref),
      service.getVersion(caller, { ...ref, version: 1 }),
      service.restoreVersion(caller, { ...ref, version: 1 }),
    ])
      await expect(call).rejects.toMatchObject(missing)
    const noFile = service.getFileDetails(caller, file)
    await expect(noFile).rejects.toMatchObject(notFound('file', itemId))
    const all = [expect.objectContaining({ id: item.id })]
    expect(await service.listItems(caller, { vaultId })).toEqual(all)
    expect(await service.listItems(caller, { vaultId, limit: 1 })).toEqual(all)
    // In the connect dialect, a title in a filter can also be an id.
    expect(await service.listItems(caller, { vaultId, filter: `title eq "${itemId}"` })).toEqual([])
    expect(await service.listItems(caller, { vaultId, filter: 'title co "e"' })).toEqual(all)
    expect(await service.getItems(caller, { vaultId, itemIds: [itemId, item.id] })).toEqual([item])
    expect(await service.collectGarbage(caller, { vaultId })).toBe(0)
    expect(await save(vault)).toMatchObject({ version: 4, files: [] })
  })

  it('leaves a tombstone when its vault is deleted, over which versions continue', async () => {
    const vault = await createChosenVault({ history })
    const { service, caller, vaultId } = vault
    await save(vault)
    await service.attachFile(caller, { vaultId, itemId, name: 'f', content: utf8('text') })
    await recreateVault(vault)
    expect(await listItemRecords(vault)).toEqual([
      { id: itemId, version: 3, body: utf8('{"format":1,"deleted":true}\n{}') },
    ])
    expect(await service.listItems(caller, { vaultId })).toEqual([])
    await recreateVault(vault)
    expect(await save(vault)).toMatchObject({ version: 4, files: [] })
    expect(await service.listVersions(caller, { vaultId, itemId })).toHaveLength(1)
  })

  it('leaves no garbage in its deleted vault', async () => {
    const vault = await createChosenVault()
    const { service, caller, vaultId } = vault
    await save(vault)
    await service.deleteVault(caller, { vaultId })
    const collection = service.collectGarbage(caller, { vaultId })
    await expect(collection).rejects.toMatchObject(notFound('vault', vaultId))
    expect(await listItemRecords(vault)).toMatchObject([{ id: itemId, version: 2 }])
  })

  it('keeps versions ascending when the deletion of the vault fails in between', async () => {
    const vault = await createContendedVault()
    await save(vault)
    const fail = () => Promise.reject(new Error('offline'))
    const store = createInterruptedStore(vault.store, 'vaults', 'before', fail)
    const failing = createVaultService({ store })
    await expect(
      failing.deleteVault(vault.caller, { vaultId: vault.vaultId }),
    ).rejects.toMatchObject({ status: 500 })
    expect(await save(vault)).toMatchObject({ version: 3 })
  })
})

describe('a change that is stopped while an item with a chosen id is deleted and saved again', () => {
  const patch = [{ op: 'add', path: '/tags/-', value: 'stopped' }] as const
  const changes: Record<string, (service: VaultService, vault: TestVault) => Promise<unknown>> = {
    patchItem: (service, { caller, vaultId }) =>
      service.patchItem(caller, { vaultId, itemId, patch }),
    'patchItem with ifVersion': (service, { caller, vaultId }) =>
      service.patchItem(caller, { vaultId, itemId, patch, ifVersion: 2 }),
    setItemState: (service, { caller, vaultId }) =>
      service.setItemState(caller, { vaultId, itemId, state: 'ARCHIVED' }),
    attachFile: (service, { caller, vaultId }) =>
      service.attachFile(caller, { vaultId, itemId, name: 'f', content: utf8('text') }),
    restoreVersion: (service, { caller, vaultId }) =>
      service.restoreVersion(caller, { vaultId, itemId, version: 1 }),
    'replaceItem that keeps a field': (service, { caller, vaultId }) =>
      service.replaceItem(caller, {
        vaultId,
        itemId,
        item: noteDraft(vaultId, { fields: [{ id: 'key' }] }),
      }),
  }

  const stops = [
    ['before its write', 0, 'items'],
    ['before its write, with a history', 9, 'items'],
    ['before it archives the version', 9, 'versions'],
  ] as const

  const replacements: Record<string, (vault: TestVault) => Promise<Item>> = {
    item: (vault) => saveAgain(vault),
    vault: async (vault) => {
      await recreateVault(vault)
      return save(vault, 'new')
    },
  }

  const rows = Object.entries(changes).flatMap(([name, change]) =>
    stops
      .filter(([, maxVersions]) => maxVersions > 0 || name !== 'restoreVersion')
      .flatMap(([when, ...stop]) =>
        Object.entries(replacements).map(
          ([what, replace]) => [name, when, what, { change, replace, stop }] as const,
        ),
      ),
  )

  it.each(rows)(
    '%s does not bring the old value back when it is stopped %s of the %s',
    async (...row) => {
      const [, , , { change, replace, stop }] = row
      const [maxVersions, collection] = stop
      const vault = await createChosenVault({ history: { maxVersions } })
      const { caller, vaultId } = vault
      await save(vault)
      await vault.service.patchItem(caller, {
        vaultId,
        itemId,
        patch: [{ op: 'add', path: '/title', value: 'Two' }],
      })
      const again = vi.fn(() => replace(vault))
      const store = createInterruptedStore(vault.store, collection, 'before', again)
      const service = createVaultService({ store, history: { maxVersions } })
      await change(service, vault).catch((error) => expect(error.status).toBeLessThan(500))
      expect(again).toHaveBeenCalledOnce()
      const item = await vault.service.getItem(caller, { vaultId, itemId })
      expect(item.fields[0]).toMatchObject({ value: 'new' })
      expect(item.version).toBeGreaterThan(3)
      const versions = await vault.service.listVersions(caller, { vaultId, itemId })
      for (const { version } of versions) {
        const old = await vault.service.getVersion(caller, { vaultId, itemId, version })
        expect(JSON.stringify(old)).not.toContain('"old"')
      }
      const archived = await listArchived(vault)
      expect(archived.some(({ body }) => String(Buffer.from(body)).includes('"old"'))).toBe(false)
    },
  )

  it.each([
    ['the memory store', createMemoryStore],
    ['SQLite', () => createSqliteStore(openNodeDatabase())],
  ])('patchItem does not bring it back from an earlier vault on %s', async (_, openStore) => {
    const vault = await createChosenVault({ store: openStore() })
    const { caller, vaultId } = vault
    await save(vault)
    const again = vi.fn(async () => {
      await recreateVault(vault)
      await save(vault, 'new')
    })
    const store = createInterruptedStore(vault.store, `items/${vaultId}`, 'before', again)
    const service = createVaultService({ store })
    const patched = await service.patchItem(caller, { vaultId, itemId, patch })
    expect(again).toHaveBeenCalledOnce()
    expect(patched).toMatchObject({ version: 4, fields: [{ value: 'new' }], tags: ['stopped'] })
  })

  it('deleteItem deletes the new item or none', async () => {
    const vault = await createChosenVault()
    await save(vault)
    const store = createInterruptedStore(vault.store, `items/${vault.vaultId}`, 'before', () =>
      saveAgain(vault),
    )
    const { caller, vaultId } = vault
    const service = createVaultService({ store })
    const deleting = service.deleteItem(caller, { vaultId, itemId, ifVersion: 1 })
    await expect(deleting).rejects.toMatchObject({ status: 412 })
    const item = await vault.service.getItem(caller, { vaultId, itemId })
    expect(item).toMatchObject({ version: 3 })
  })

  it('a write that a slow store makes late is refused', async () => {
    const vault = await createChosenVault()
    await save(vault)
    const { records, blobs } = vault.store
    let runLate: (() => Promise<boolean>) | undefined
    const store: VaultStore = {
      blobs,
      records: {
        ...records,
        put: (...call) => {
          runLate = () => records.put(...call)
          return new Promise(() => {})
        },
      },
    }
    const service = createVaultService({ store, storeTimeoutMs: 20 })
    const { caller, vaultId } = vault
    await expect(service.patchItem(caller, { vaultId, itemId, patch })).rejects.toMatchObject({
      status: 503,
    })
    const item = await saveAgain(vault)
    expect(await runLate?.()).toBe(false)
    expect(await vault.service.getItem(caller, { vaultId, itemId })).toEqual(item)
  })
})

describe('archived versions of an item with a chosen id', () => {
  const retitle = ({ service, caller, vaultId }: TestVault, value: string) =>
    service.patchItem(caller, {
      ...{ vaultId, itemId },
      patch: [{ op: 'add', path: '/title', value }],
    })
  const numbersOf = async ({ service, caller, vaultId }: TestVault) =>
    (await service.listVersions(caller, { vaultId, itemId })).map(({ version }) => version)

  /** Saves and removes the item, and leaves its archived version as a crash does. */
  const removeWithoutVersions = async (vault: TestVault): Promise<void> => {
    await save(vault)
    await retitle(vault, 'Two')
    const leftovers = await listArchived(vault)
    await remove(vault)
    const collection = `versions/${vault.vaultId}`
    for (const { id, body } of leftovers)
      await vault.store.records.put({ collection, id }, { body }, 0)
  }

  it('are deleted with it, and those of the next item are its own', async () => {
    const vault = await createChosenVault({ history })
    await save(vault)
    await retitle(vault, 'Two')
    await remove(vault)
    expect(await listArchived(vault)).toEqual([])
    await save(vault)
    await retitle(vault, 'Five')
    expect(await numbersOf(vault)).toEqual([5, 4])
    await vault.service.collectGarbage(vault.caller, { vaultId: vault.vaultId })
    expect(await numbersOf(vault)).toEqual([5, 4])
  })

  it('are hidden, and then collected, when a crash has left them of an earlier item', async () => {
    const vault = await createChosenVault({ history })
    const { service, caller, vaultId } = vault
    await removeWithoutVersions(vault)
    await save(vault, 'new')
    await retitle(vault, 'Five')
    expect(await numbersOf(vault)).toEqual([5, 4])
    for (const call of [service.getVersion, service.restoreVersion])
      await expect(call(caller, { vaultId, itemId, version: 1 })).rejects.toMatchObject(
        notFound('version', '1'),
      )
    await service.collectGarbage(caller, { vaultId })
    const ids = (await listArchived(vault)).map(({ id }) => id)
    expect(ids).toEqual([`${itemId}.0000000004`])
  })

  it('of a deleted item are collected', async () => {
    const vault = await createChosenVault({ history })
    const { service, caller, vaultId } = vault
    await removeWithoutVersions(vault)
    await service.collectGarbage(caller, { vaultId })
    expect(await listArchived(vault)).toEqual([])
  })

  it('of the next item are kept when the deletion of the earlier one goes on', async () => {
    const vault = await createChosenVault({ history })
    await save(vault)
    await retitle(vault, 'Two')
    const store = createInterruptedStore(
      vault.store,
      `items/${vault.vaultId}`,
      'after',
      async () => {
        await save(vault)
        await retitle(vault, 'Five')
      },
    )
    await remove({ ...vault, service: createVaultService({ store, history }) })
    expect(await numbersOf(vault)).toEqual([5, 4])
  })

  it('of the next item are kept when an upload to the earlier one is collected', async () => {
    const vault = await createChosenVault({ history })
    const { service, caller, vaultId, clock } = vault
    await save(vault)
    const content = new TransformStream<Uint8Array, Uint8Array>()
    const upload = service.attachFile(caller, {
      ...{ vaultId, itemId, name: 'late' },
      content: content.readable,
    })
    const writer = content.writable.getWriter()
    await writer.write(utf8('half'))
    await saveAgain(vault)
    await retitle(vault, 'Four')
    clock.advance(3_600_000)
    expect(await service.collectGarbage(caller, { vaultId })).toBe(1)
    await writer.close()
    await expect(upload).rejects.toMatchObject(races)
    // The collection has written version 5.
    expect(await numbersOf(vault)).toEqual([5, 4, 3])
  })
})

describe('createItem with itemId while the vault is deleted', () => {
  it.each(['before', 'after'] as const)(
    'leaves no item when the vault is deleted %s the item is stored',
    async (when) => {
      const vault = await createContendedVault()
      const { caller, vaultId, service: other } = vault
      const store = createInterruptedStore(vault.store, 'items', when, () =>
        other.deleteVault(caller, { vaultId }),
      )
      const service = createVaultService({ store })
      await expect(save({ ...vault, service })).rejects.toMatchObject(notFound('vault', vaultId))
      expect(await vault.store.listRemaining()).toEqual([])
    },
  )

  it('leaves no item where a tombstone was', async () => {
    const vault = await createContendedVault()
    const { caller, vaultId, service: other } = vault
    await save(vault)
    await remove(vault)
    const store = createInterruptedStore(vault.store, 'items', 'after', () =>
      other.deleteVault(caller, { vaultId }),
    )
    const service = createVaultService({ store })
    await expect(save({ ...vault, service })).rejects.toMatchObject(notFound('vault', vaultId))
    expect(await vault.store.listRemaining()).toEqual([])
  })

  it('keeps an item that another call has created in a new vault with the same id', async () => {
    const vault = await createChosenVault({ store: createMemoryStore() })
    const { caller, vaultId } = vault
    const saved: Item[] = []
    const store = createInterruptedStore(vault.store, 'items', 'after', async () => {
      await recreateVault(vault)
      saved.push(await save(vault, 'new'))
    })
    const service = createVaultService({ store, now: vault.clock })
    await expect(save({ ...vault, service })).rejects.toMatchObject(notFound('vault', vaultId))
    expect(await vault.service.getItem(caller, { vaultId, itemId })).toEqual(saved[0])
  })

  it('removes its own item from a new vault with the same id, also if it was patched', async () => {
    const vault = await createChosenVault({ store: createMemoryStore() })
    const { caller, vaultId, service: other } = vault
    const recreated = createInterruptedStore(vault.store, 'items', 'before', () =>
      recreateVault(vault),
    )
    const store = createInterruptedStore(recreated, 'items', 'after', () =>
      other.setItemState(caller, { vaultId, itemId, state: 'ARCHIVED' }),
    )
    const service = createVaultService({ store })
    await expect(save({ ...vault, service })).rejects.toMatchObject(notFound('vault', vaultId))
    expect(await other.listItems(caller, { vaultId })).toEqual([])
  })

  it('removes its own item from a new vault with the same id, and leaves a tombstone', async () => {
    const vault = await createChosenVault({ store: createMemoryStore() })
    const { caller, vaultId } = vault
    const store = createInterruptedStore(vault.store, 'items', 'before', async () => {
      await recreateVault(vault)
      await save(vault)
      await remove(vault)
    })
    // The first attempt meets the tombstone of the new vault, the second one writes over it.
    const service = createVaultService({ store })
    await expect(save({ ...vault, service })).rejects.toMatchObject(notFound('vault', vaultId))
    expect(await vault.service.listItems(caller, { vaultId })).toEqual([])
    expect(await save(vault)).toMatchObject({ version: 5 })
  })
})
