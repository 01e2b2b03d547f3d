import { describe, expect, it } from 'vitest'
import { createStoredActivityLog } from '../../src/activity.js'
import { type Change, watchChanges } from '../../src/changes.js'
import { type Caller, createCaller, createVaultService, type VaultStore } from '../../src/index.js'
import { createEncryptedStore } from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore } from '../../src/testing.js'
import {
  caller,
  createWatchedVault,
  describeChanges,
  itemId,
  pass,
  vaultId,
} from '../support/changes/watched-vault.js'
import { createEntry } from '../support/service/activity-entries.js'
import { createKeys } from '../support/stores/encrypted-stores.js'
import { createRecordingStore } from '../support/stores/stores.js'

const item = { category: 'LOGIN', title: 'Router' } as const
const patchOf = (title: string) => [{ op: 'replace', path: '/title', value: title }] as const
const ref = { vaultId, itemId }
const uncached = { vaultId, itemId, item }

/** Holds back the puts of items until `open` is called. */
function createGate(inner: VaultStore): { store: VaultStore; open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const records = {
    ...inner.records,
    put: async (...put: Parameters<VaultStore['records']['put']>) => {
      if (put[0].collection.startsWith('items/')) await opened
      return inner.records.put(...put)
    },
  }
  return { store: { ...inner, records }, open }
}

describe('watchChanges', () => {
  it('delivers each kind of change with its ids, its version and its time, and no value', async () => {
    const { service, watch } = await createWatchedVault()
    const { changes } = watch()
    await service.createItem(caller, uncached)
    await service.patchItem(caller, { ...ref, patch: patchOf('Secret title') })
    await service.updateVault(caller, { vaultId, name: 'Secret name' })
    await service.deleteItem(caller, ref)
    await service.deleteVault(caller, { vaultId })
    await pass(3)
    expect(describeChanges(changes).toSorted()).toEqual([
      ...['item.created 1', 'item.deleted 2', 'item.updated 2'],
      ...['vault.created 1', 'vault.deleted 2', 'vault.updated 2'],
    ])
    const [updated] = changes.filter(({ type }) => type === 'item.updated')
    expect(updated).toEqual({
      type: 'item.updated',
      vaultId,
      itemId,
      version: 2,
      at: expect.stringMatching(/^2026-01-01T00:00:0\d\.\d{3}Z$/),
      id: expect.stringMatching(/^\d{13}\.\d{7}\.[\da-z]{26}$/),
    })
    expect(JSON.stringify(changes)).not.toContain('Secret')
  })

  it('delivers the changes of other services, and nothing for calls that change nothing', async () => {
    const { service, createService, watch } = await createWatchedVault()
    await createService().createItem(caller, uncached)
    await service.getItem(caller, ref)
    await service.patchItem(caller, { ...ref, patch: [] })
    await service.collectGarbage(caller, { vaultId })
    const { changes } = watch()
    await pass(3)
    expect(describeChanges(changes).toSorted()).toEqual(['item.created 1', 'vault.created 1'])
  })

  it('reads none of the entries of reads', async () => {
    const { store, service, watch } = await createWatchedVault()
    for (let count = 0; count < 50; count++) await service.getVault(caller, { vaultId })
    let listed = 0
    const { changes } = watch({
      log: {
        ...store,
        records: {
          ...store.records,
          async list(...list) {
            const page = await store.records.list(...list)
            listed += page.length
            return page
          },
        },
      },
    })
    await pass(0.5)
    expect(describeChanges(changes)).toEqual(['vault.created 1'])
    expect(listed).toBe(2)
  })

  it('reads only versions, and records nothing', async () => {
    const { store, service, watch } = await createWatchedVault()
    await service.createItem(caller, uncached)
    const recorded = createRecordingStore(store)
    watch({}, recorded)
    await pass(3)
    expect(new Set(recorded.calls)).toEqual(new Set(['records.list', 'records.get']))
  })

  it('holds a change back until it is made', async () => {
    const { store, service, createService, watch } = await createWatchedVault()
    await service.createItem(caller, uncached)
    const gate = createGate(store)
    const { changes } = watch()
    await pass(2)
    changes.length = 0
    const update = createService(0, gate.store).patchItem(caller, { ...ref, patch: patchOf('B') })
    await pass(20)
    expect(changes).toEqual([])
    gate.open()
    await update
    await pass(4)
    expect(describeChanges(changes)).toEqual(['item.updated 2'])
  })

  it('drops a change that is denied', async () => {
    const { store, service, record, createService, watch } = await createWatchedVault()
    await service.createItem(caller, uncached)
    const { changes } = watch()
    const failing = createFaultyStore(store, ({ method, collection }) =>
      method === 'put' && collection?.startsWith('items/') ? 'conflict' : undefined,
    )
    const update = createService(0, failing).patchItem(caller, { ...ref, patch: patchOf('B') })
    await expect(update).rejects.toMatchObject({ code: 'CONFLICT' })
    const requestId = crypto.randomUUID()
    await record('DELETE', 1, { requestId })
    await record('DELETE', 1, { requestId, result: 'DENY' })
    await pass(200)
    expect(describeChanges(changes).toSorted()).toEqual(['item.created 1', 'vault.created 1'])
  })

  it('delivers a change that was neither made nor denied after the hold, and again if it is made', async () => {
    const { service, record, watch } = await createWatchedVault()
    await service.createItem(caller, uncached)
    const { changes } = watch()
    await pass(2)
    changes.length = 0
    await record('UPDATE', 2)
    await pass(58)
    expect(changes).toEqual([])
    await pass(4)
    expect(describeChanges(changes)).toEqual(['item.updated 2'])
    await pass(60)
    await service.patchItem(caller, { ...ref, patch: patchOf('B') })
    await pass(30)
    expect(describeChanges(changes)).toEqual(['item.updated 2', 'item.updated 2'])
    expect(new Set(changes.map(({ id }) => id)).size).toBe(1)
    await record('UPDATE', 3)
    await pass(700)
    await service.patchItem(caller, { ...ref, patch: patchOf('C') })
    await pass(3)
    expect(describeChanges(changes.slice(2))).toEqual(['item.updated 3', 'item.updated 3'])
  })

  it('delivers the versions of an item in order, across its deletion and writers with other clocks', async () => {
    const { createService, watch } = await createWatchedVault()
    const [ahead, behind] = [createService(30_000), createService(-30_000)]
    const { changes } = watch()
    for (let round = 0; round < 5; round++) {
      await ahead.createItem(caller, uncached)
      await behind.patchItem(caller, { ...ref, patch: patchOf(`B${round}`) })
      await ahead.patchItem(caller, { ...ref, patch: patchOf(`C${round}`) })
      if (round % 2 === 0) await pass(1)
      await behind.deleteItem(caller, ref)
    }
    await pass(3)
    const ofItem = changes.filter(({ type }) => type !== 'vault.created')
    expect(describeChanges(ofItem)).toEqual(
      [1, 5, 9, 13, 17].flatMap((version) => [
        ...[`item.created ${version}`, `item.updated ${version + 1}`],
        ...[`item.updated ${version + 2}`, `item.deleted ${version + 2}`],
      ]),
    )
  })

  it('delivers the changes of an item with a random id that was deleted before it looked', async () => {
    const { service, watch } = await createWatchedVault()
    const { id } = await service.createItem(caller, { vaultId, item })
    await service.deleteItem(caller, { vaultId, itemId: id })
    const { changes } = watch()
    await pass(3)
    expect(describeChanges(changes)).toEqual([
      'vault.created 1',
      'item.created 1',
      'item.deleted 1',
    ])
  })

  it('delivers the changes of a vault and its items that are created again with the same ids', async () => {
    const { service, watch } = await createWatchedVault()
    const { changes } = watch()
    await service.createItem(caller, uncached)
    await pass(3)
    await service.deleteVault(caller, { vaultId })
    await pass(3)
    changes.length = 0
    await service.createVault(caller, { vaultId, name: 'Again' })
    await service.createItem(caller, uncached)
    await pass(3)
    expect(describeChanges(changes)).toEqual(['vault.created 1', 'item.created 3'])
  })

  it('does not deliver a deletion that lost to an update', async () => {
    const { service, record, watch } = await createWatchedVault()
    await service.createItem(caller, uncached)
    const { changes } = watch()
    await pass(3)
    changes.length = 0
    await record('DELETE', 1)
    await service.patchItem(caller, { ...ref, patch: patchOf('B') })
    await pass(3)
    expect(describeChanges(changes)).toEqual(['item.updated 2'])
  })

  it('delivers a version once when several writers have recorded it', async () => {
    const { service, record, watch } = await createWatchedVault()
    await service.createItem(caller, uncached)
    const { changes } = watch()
    for (let writer = 0; writer < 3; writer++) await record('UPDATE', 2)
    await service.patchItem(caller, { ...ref, patch: patchOf('B') })
    await pass(3)
    await record('UPDATE', 2)
    await pass(3)
    expect(describeChanges(changes).filter((change) => change === 'item.updated 2')).toHaveLength(1)
  })

  it('ignores the changes of earlier releases, which have no version of their record', async () => {
    const { store, service, watch } = await createWatchedVault()
    const log = createStoredActivityLog(store)
    for await (const { resource, ...entry } of log.entries()) {
      const { recordVersion: _, vaultVersion: _version, ...old } = resource
      const key = { collection: 'activity', id: `9${'0'.repeat(12)}.0000000.${'o'.repeat(26)}` }
      const body = new TextEncoder().encode(JSON.stringify({ ...entry, resource: old }))
      await store.records.put(key, { body }, 0)
    }
    expect(await service.listActivity(caller, {})).toMatchObject({ total: 2 })
    const { changes } = watch()
    await pass(3)
    expect(describeChanges(changes)).toEqual(['vault.created 1'])
  })

  it('delivers only the changes of vaults that the caller can read at that time', async () => {
    const { service, watch } = await createWatchedVault()
    const asked: unknown[] = []
    let canRead = false
    const reader: Caller = {
      id: 'reader',
      can: async (...check) => {
        asked.push(check)
        return canRead
      },
    }
    const { changes } = watch({ caller: reader })
    await service.createItem(caller, uncached)
    await pass(3)
    expect(changes).toEqual([])
    expect(new Set(asked.map(String))).toEqual(new Set([`read,${vaultId},listActivity`]))
    canRead = true
    await service.patchItem(caller, { ...ref, patch: patchOf('B') })
    await pass(3)
    canRead = false
    await service.patchItem(caller, { ...ref, patch: patchOf('C') })
    await pass(3)
    expect(describeChanges(changes)).toEqual(['item.updated 2'])
  })

  it('rejects with the error of `can`', async () => {
    const { watch } = await createWatchedVault()
    const reader = { id: 'reader', can: () => Promise.reject(new Error('the directory is down')) }
    await expect(watch({ caller: reader }).ended).rejects.toThrow('the directory is down')
  })

  it('rejects when the log cannot be read, also later', async () => {
    const { store, watch } = await createWatchedVault()
    let isBroken = false
    const broken = createFaultyStore(store, ({ method }) =>
      isBroken && method === 'list' ? 'fail-before' : undefined,
    )
    const watcher = watch({ log: broken })
    await pass(3)
    isBroken = true
    await expect(watcher.ended).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    await expect(watch({ log: broken }).ended).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })

  it('delays only the changes of a record that cannot be read', async () => {
    const { store, service, watch } = await createWatchedVault()
    const other = await service.createItem(caller, { vaultId, item })
    let reads = 0
    const { changes } = watch({
      items: {
        ...store.records,
        async get(key) {
          if (key.id !== itemId) return store.records.get(key)
          reads++
          throw new Error('the key is denied')
        },
      },
    })
    await service.createItem(caller, uncached)
    await service.patchItem(caller, { vaultId, itemId: other.id, patch: patchOf('B') })
    await pass(50)
    expect(describeChanges(changes)).toEqual([
      'vault.created 1',
      'item.created 1',
      'item.updated 2',
    ])
    await pass(20)
    expect(describeChanges(changes.slice(3))).toEqual(['item.created 1'])
    expect(reads).toBeLessThan(40)
  })

  it('does not wait long for a record whose read hangs', async () => {
    const { store, service, watch } = await createWatchedVault()
    const { changes } = watch({
      items: {
        ...store.records,
        get: (key) => (key.id === itemId ? new Promise(() => {}) : store.records.get(key)),
      },
    })
    await service.createItem(caller, uncached)
    await pass(2)
    await service.createItem(caller, { vaultId, item })
    await pass(20)
    expect(describeChanges(changes)).toEqual(['vault.created 1', 'item.created 1'])
  })

  it('resumes a window and a hold before `since`', async () => {
    const { createService, service, watch } = await createWatchedVault()
    await pass(300)
    await service.createItem(caller, uncached)
    await pass(115)
    const first = watch()
    await createService(30_000).patchItem(caller, { ...ref, patch: patchOf('B') })
    await pass(3)
    first.stop()
    const since = first.changes.at(-1)?.id
    expect(describeChanges(first.changes)).toEqual(['item.created 1', 'item.updated 2'])
    await createService(-30_000).patchItem(caller, { ...ref, patch: patchOf('C') })
    await pass(600)
    const { changes } = watch({ since })
    await pass(3)
    expect(describeChanges(changes)).toEqual(['item.updated 2', 'item.updated 3'])
    const again = watch({ since: changes.at(-1)?.id })
    await pass(3)
    expect(describeChanges(again.changes)).toEqual([
      ...['item.created 1', 'item.updated 2', 'item.updated 3'],
    ])
  })

  it('reads a long backlog in parts, from older to newer changes', async () => {
    const { store, service, watch } = await createWatchedVault()
    const first = watch()
    await pass(3)
    first.stop()
    await service.createItem(caller, uncached)
    for (let minute = 0; minute < 60; minute++) {
      for (let count = 0; count < 5; count++)
        await service.patchItem(caller, { ...ref, patch: patchOf(`${minute}.${count}`) })
      await pass(60)
    }
    let held = 0
    const { changes } = watch({
      since: first.changes[0]?.id,
      log: {
        ...store,
        records: {
          ...store.records,
          async list(...list) {
            const page = await store.records.list(...list)
            held = Math.max(held, page.length)
            return page
          },
        },
      },
    })
    await pass(3)
    expect(describeChanges(changes)).toEqual([
      ...['vault.created 1', 'item.created 1'],
      ...Array.from({ length: 300 }, (_, index) => `item.updated ${index + 2}`),
    ])
    expect(held).toBeLessThan(50)
  })

  it.each([
    ['is not the id of a change', 'nonsense', 'must be the id of a change'],
    ['is not in the log', `${'1'.repeat(13)}.${'2'.repeat(7)}.${'c'.repeat(26)}`, 'is older than'],
  ])('rejects when `since` %s', async (_, since, message) => {
    const { watch } = await createWatchedVault()
    const { ended } = watch({ since })
    await expect(ended).rejects.toMatchObject({ code: 'INVALID_INPUT', status: 400 })
    await expect(ended).rejects.toThrow(`since ${message}`)
  })

  it('rejects when entries before `since` were removed because of their age', async () => {
    const { store, createClock, service, watch } = await createWatchedVault()
    const first = watch()
    await pass(60)
    const since = first.changes[0]?.id
    first.stop()
    const hour = 3_600_000
    const log = createStoredActivityLog(store, { maxAgeMs: hour })
    const note = () =>
      log.record(createEntry('bob', createClock()().getTime() - Date.parse('2026')))
    await note()
    await pass(1800)
    await service.createItem(caller, uncached)
    const late = watch()
    await pass(5)
    late.stop()
    const removedLater = late.changes[0]?.id
    await pass(3000)
    await note()
    await note()
    await expect(watch({ since }).ended).rejects.toThrow('is older than the log')
    const current = watch({ since: removedLater })
    await pass(3)
    expect(describeChanges(current.changes)).toEqual(['item.created 1'])
  })

  it('rejects when entries were removed between `since` and now', async () => {
    const { store, createClock, watch } = await createWatchedVault()
    const first = watch()
    await pass(600)
    const { id: since } = first.changes[0] ?? {}
    const until = createClock()().getTime() - 300_000
    const body = new TextEncoder().encode(JSON.stringify({ until }))
    await store.records.put({ collection: 'pruned/activity', id: 'until' }, { body }, 0)
    await expect(watch({ since }).ended).rejects.toThrow('since is older than the log')
  })

  it('keeps the entries that a watcher needs, however short `maxAgeMs` is', async () => {
    const { store, createClock, watch } = await createWatchedVault()
    const first = watch()
    await pass(3)
    first.stop()
    const log = createStoredActivityLog(store, { maxAgeMs: 1 })
    for await (const entry of log.entries())
      await log.record({ ...entry, timestamp: createClock()().toISOString() })
    await pass(300)
    const { changes } = watch({ since: first.changes[0]?.id })
    await pass(3)
    expect(describeChanges(changes)).toEqual(['vault.created 1'])
  })

  it('ends without an error when the signal is aborted, also before it begins', async () => {
    const { watch } = await createWatchedVault()
    const watcher = watch()
    await pass(0.1)
    watcher.stop()
    await expect(watcher.ended).resolves.toBeUndefined()
    const { changes, ended } = watch({ signal: AbortSignal.abort() })
    await ended
    expect(changes).toEqual([])
  })

  it('ends between two changes', async () => {
    const { store, createClock, service } = await createWatchedVault()
    await service.createItem(caller, uncached)
    const end = new AbortController()
    const seen: Change[] = []
    const { signal } = end
    const common = { log: store, items: store.records, caller, now: createClock() }
    for await (const change of watchChanges({ ...common, signal })) {
      seen.push(change)
      end.abort()
    }
    expect(seen).toHaveLength(1)
  })

  it('calls `onStart` once, after the log was read', async () => {
    const { watch } = await createWatchedVault()
    let starts = 0
    watch({ onStart: () => starts++ })
    await pass(5)
    expect(starts).toBe(1)
    const rejected = watch({ since: 'nonsense', onStart: () => starts++ })
    await expect(rejected.ended).rejects.toThrow()
    expect(starts).toBe(1)
  })

  it('watches an encrypted store', async () => {
    const store = createEncryptedStore(createMemoryStore(), { keys: createKeys() })
    const service = createVaultService({ store, activity: createStoredActivityLog(store) })
    await service.createVault(caller, { vaultId, name: 'Home' })
    const seen: string[] = []
    const common = { log: store, items: store.records, caller, pollMs: 5 }
    for await (const { type } of watchChanges(common)) {
      if (seen.push(type) === 2) break
      await service.createItem(caller, uncached)
    }
    expect(seen).toEqual(['vault.created', 'item.created'])
  })

  it('rejects wrong options', () => {
    const store = createMemoryStore()
    const options = { log: store, items: store.records, caller: createCaller('alice', '*') }
    for (const wrong of [{ pollMs: 0 }, { pollMs: 60_001 }, { windowMs: -1 }, { holdMs: 0 }])
      expect(() => watchChanges({ ...options, ...wrong })).toThrow(RangeError)
    expect(() => watchChanges({ ...options, windowMs: Number.NaN })).toThrow(
      'windowMs must be a number from 0 to 3600000',
    )
  })
})
