import { describe, expect, it, vi } from 'vitest'
import { positionOf } from '../../src/activity/entry-position.js'
import {
  type ActivityEntriesOptions,
  type ActivityQuery,
  createStoredActivityLog,
} from '../../src/activity.js'
import { openableLog } from '../../src/core/runtime/activity-log.js'
import {
  type ActivityEntry,
  createCaller,
  createVaultService,
  StorageError,
  type VaultStore,
} from '../../src/index.js'
import { createEncryptedStore } from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createSqliteStore } from '../../src/storage/sqlite.js'
import { createFaultyStore, createTestVault } from '../../src/testing.js'
import { utf8 } from '../support/bytes.js'
import { noteDraft } from '../support/drafts.js'
import { createEntry, readEntries } from '../support/service/activity-entries.js'
import { createKeys } from '../support/stores/encrypted-stores.js'
import { anyClient, createJoinableStore } from '../support/stores/joinable-store.js'
import { createDatabasePath, openNodeDatabase } from '../support/stores/sqlite.js'

const hour = 3_600_000
const full: ActivityEntry = {
  requestId: '0192d3a4-5678-7abc-8def-0123456789ab',
  timestamp: '2026-01-01T00:00:00.000Z',
  operation: 'removeFile',
  action: 'UPDATE',
  result: 'DENY',
  code: 'CONFLICT',
  durationMs: 12,
  use: { origin: 'https://example.com', method: 'GET', place: 'header:x', field: 'key' },
  credential: { name: 'stripe', account: 'live' },
  actor: { id: 'alice', jti: 'token', userAgent: 'curl/8', requestIp: '::1' },
  resource: {
    type: 'ITEM',
    vault: { id: 'v'.repeat(26) },
    item: { id: 'i'.repeat(26) },
    file: { id: 'f'.repeat(26) },
    itemVersion: 7,
  },
}

/** The stores of two processes: each has its own connection to one file, with the same keys. */
function storesOfTwoProcesses(): [VaultStore, VaultStore] {
  const path = createDatabasePath()
  const keys = createKeys()
  const open = (): VaultStore =>
    createEncryptedStore(createSqliteStore(openNodeDatabase(path)), { keys })
  return [open(), open()]
}

const stores: Readonly<Record<string, () => [VaultStore, VaultStore]>> = {
  'a memory store': () => {
    const store = createMemoryStore()
    return [store, store]
  },
  'an encrypted SQLite file': storesOfTwoProcesses,
}

/** The ids of the actors of all entries, in their order, as one string. */
async function actorsIn(store: VaultStore): Promise<string> {
  return (await readEntries(createStoredActivityLog(store))).map(({ actor }) => actor.id).join('')
}

describe.each(Object.entries(stores))('createStoredActivityLog on %s', (_, open) => {
  it('returns every member of an entry, also to another process', async () => {
    const [one, other] = open()
    await createStoredActivityLog(one).record(full)
    expect(await readEntries(createStoredActivityLog(other))).toEqual([full])
  })

  it('lists the newest entry first, whatever process recorded it and in which order', async () => {
    const [one, other] = open()
    const logs = [createStoredActivityLog(one), createStoredActivityLog(other)] as const
    for (const [index, time] of [5, 1, 4, 2, 3].entries())
      await (logs[index % 2] ?? logs[0]).record(createEntry(String(time), time * 999_983))
    expect(await actorsIn(one)).toBe('54321')
  })

  it('lists the entries of one millisecond in reverse recording order', async () => {
    const [one] = open()
    const log = createStoredActivityLog(one)
    await Promise.all([...'abcdefghijklm'].map((id) => log.record(createEntry(id))))
    expect(await actorsIn(one)).toBe('mlkjihgfedcba')
  })

  it('keeps all entries of two processes that record in one millisecond', async () => {
    const [one, other] = open()
    const logs = [createStoredActivityLog(one), createStoredActivityLog(other)]
    await Promise.all(logs.flatMap((log) => [...'abcde'].map((id) => log.record(createEntry(id)))))
    expect([...(await actorsIn(one))].toSorted().join('')).toBe('aabbccddee')
  })

  it('removes some entries older than `maxAgeMs` with every new entry', async () => {
    const [one, other] = open()
    const unlimited = createStoredActivityLog(one)
    for (let index = 0; index < 10; index++) await unlimited.record(createEntry('x', index))
    await unlimited.record(createEntry('k', hour + 9))
    const log = createStoredActivityLog(other, { maxAgeMs: hour })
    await log.record(createEntry('a', hour + 9))
    expect(await actorsIn(one)).toBe('akxx')
    await log.record(createEntry('b', hour + 9))
    expect(await actorsIn(one)).toBe('bak')
    await log.record(createEntry('c', 2 * hour - 1))
    expect(await actorsIn(one)).toBe('cbak')
    await log.record(createEntry('d', 2 * hour + 9))
    expect(await actorsIn(one)).toBe('dc')
  })

  it('removes no entries of other hosts when the clock of one host is ahead', async () => {
    const [one, other] = open()
    const maxAgeMs = 30 * hour
    const correct = createStoredActivityLog(one, { maxAgeMs })
    const ahead = createStoredActivityLog(other, { maxAgeMs })
    for (let index = 0; index < 20; index++)
      await correct.record(createEntry('r', 40 * hour + index))
    for (let index = 0; index < 5; index++) await ahead.record(createEntry('w', 72 * hour + index))
    expect(await actorsIn(one)).toBe('w'.repeat(5) + 'r'.repeat(20))
    await correct.record(createEntry('s', 70 * hour + 18))
    await correct.record(createEntry('s', 70 * hour + 18))
    await correct.record(createEntry('s', 70 * hour + 18))
    expect(await actorsIn(one)).toBe('wwwwwsssr')
  })

  it('replaces the entry of a change with its outcome', async () => {
    const [one, other] = open()
    const [log, otherLog] = [createStoredActivityLog(one), createStoredActivityLog(other)]
    const { code: _, durationMs: _durationMs, ...rest } = full
    const pending = { ...rest, result: 'PENDING' } as const
    await log.record(pending)
    expect(await readEntries(otherLog)).toEqual([pending])
    await log.record(full, pending)
    expect(await readEntries(otherLog)).toEqual([full])
    await expect(log.record(full, pending)).rejects.toMatchObject({ code: 'CONFLICT' })
  })

  it('lists the entries of one vault without the others', async () => {
    const [one, other] = open()
    const log = createStoredActivityLog(one)
    await log.record(full)
    await log.record(createEntry('a'))
    const listed: ActivityEntry[] = []
    for await (const entry of createStoredActivityLog(other).entries({ vaultId: 'v'.repeat(26) }))
      listed.push(entry)
    expect(listed).toEqual([full])
  })

  it('lists the entries before a time, and after a position', async () => {
    const [one] = open()
    const log = createStoredActivityLog(one)
    const entries = [1, 2, 3, 4].map((time) => createEntry(String(time), time))
    for (const entry of entries) await log.record(entry)
    const list = async (query: ActivityEntriesOptions) => {
      const listed: string[] = []
      for await (const { actor } of log.entries(query)) listed.push(actor.id)
      return listed.join('')
    }
    const [, , third] = entries as [...[ActivityEntry, ActivityEntry, ActivityEntry]]
    expect(await list({ until: third.timestamp })).toBe('21')
    expect(await list({ after: positionOf(third) })).toBe('21')
    expect(await list({ until: third.timestamp, after: positionOf(entries[1] ?? third) })).toBe('1')
  })
})

describe('createStoredActivityLog', () => {
  it.each([undefined, 4_000_000_000_000, Number.MAX_SAFE_INTEGER, Number.POSITIVE_INFINITY])(
    'keeps all entries when `maxAgeMs` is %s',
    async (maxAgeMs) => {
      const store = createMemoryStore()
      const log = createStoredActivityLog(store, maxAgeMs === undefined ? {} : { maxAgeMs })
      for (const id of 'abc') await log.record(createEntry(id))
      expect(await actorsIn(store)).toBe('cba')
    },
  )

  it('removes nothing when the store fails to list, and retries with the next entry', async () => {
    const store = createMemoryStore()
    await createStoredActivityLog(store).record(createEntry('a', 0))
    let isBroken = true
    const faulty = createFaultyStore(store, ({ method }) =>
      isBroken && method === 'list' ? 'fail-before' : undefined,
    )
    const log = createStoredActivityLog(faulty, { maxAgeMs: hour })
    await log.record(createEntry('b', 2 * hour))
    expect(await actorsIn(store)).toBe('ba')
    isBroken = false
    await log.record(createEntry('c', 2 * hour + 1))
    expect(await actorsIn(store)).toBe('cb')
  })

  it('records an entry when the store fails to delete an old one', async () => {
    const store = createMemoryStore()
    await createStoredActivityLog(store).record(createEntry('a', 0))
    const faulty = createFaultyStore(store, ({ method }) =>
      method === 'delete' ? 'fail-before' : undefined,
    )
    const log = createStoredActivityLog(faulty, { maxAgeMs: hour })
    await log.record(createEntry('b', 1))
    await log.record(createEntry('c', 2 * hour))
    expect(await actorsIn(store)).toBe('cba')
  })

  it('removes entries that are older than a `maxAgeMs` of one hour', async () => {
    const store = createMemoryStore()
    const log = createStoredActivityLog(store, { maxAgeMs: hour })
    await log.record(createEntry('a', hour))
    await log.record(createEntry('b', 2 * hour - 1))
    expect(await actorsIn(store)).toBe('ba')
    await log.record(createEntry('c', 2 * hour))
    expect(await actorsIn(store)).toBe('cb')
  })

  describe('in a transaction', () => {
    /** A service whose entries and records are in one store, and the vault of its item. */
    async function createWorld(logStore?: VaultStore) {
      const store = createJoinableStore(createMemoryStore())
      const activity = createStoredActivityLog(logStore ?? store, { maxAgeMs: 24 * hour })
      const service = createVaultService({ store, activity })
      const caller = createCaller({ id: 'alice', vaults: '*' })
      const { id: vaultId } = await service.createVault(caller, { name: 'Team' })
      const vault = service.inTransaction(anyClient)
      const list = async (query: ActivityQuery = {}) => {
        const page = await service.listActivity(caller, { vaultId, ...query })
        const entries = page.entries.map(({ operation, result }) => `${operation} ${result}`)
        return { ...page, entries }
      }
      return { service, caller, vaultId, vault, list, store }
    }

    it('records a change as pending, and its success in the record beside that', async () => {
      const { caller, vaultId, vault, list, store } = await createWorld()
      const { id } = await vault.createItem(caller, { vaultId, item: noteDraft(vaultId) })
      const [pending, success] = await store.records.list('activity', { limit: 2 })
      expect(success?.id).toBe(`${pending?.id}!`)
      const read = (body?: Uint8Array) => JSON.parse(new TextDecoder().decode(body))
      const described = { operation: 'createItem', resource: { item: { id } } }
      expect(read(pending?.body)).toMatchObject({ result: 'PENDING', ...described })
      expect(read(success?.body)).toMatchObject({ result: 'SUCCESS', ...described })
      expect((await list({ limit: 1 })).entries).toEqual(['createItem SUCCESS'])
    })

    it('counts, filters and pages both records as one entry', async () => {
      const { caller, vaultId, vault, list } = await createWorld()
      const operation = 'createItem'
      for (let count = 0; count < 5; count++)
        await vault.createItem(caller, { vaultId, item: noteDraft(vaultId) })
      const all = await list({ operation, count: true })
      expect(all.total).toBe(5)
      expect((await list({ operation, result: 'PENDING' })).entries).toEqual([])
      for (const limit of [1, 2, 3]) {
        const found: string[] = []
        for (let next: string | undefined = ''; next !== undefined; ) {
          const page = await list({ operation, limit, ...(next !== '' && { after: next }) })
          found.push(...page.entries)
          next = page.next
        }
        expect(found).toEqual(all.entries)
      }
    })

    it('records a refused change and a read as outside', async () => {
      const { caller, vaultId, vault, list } = await createWorld()
      const draft = noteDraft(vaultId)
      const { id: itemId } = await vault.createItem(caller, { vaultId, item: draft })
      await vault.deleteItem(caller, { vaultId, itemId, ifVersion: 2 }).catch(() => {})
      await vault.getItem(caller, { vaultId, itemId })
      const { entries } = await list({ limit: 3 })
      expect(entries).toEqual(['getItem SUCCESS', 'deleteItem DENY', 'createItem SUCCESS'])
    })

    it('leaves a change pending when the entries are in another store', async () => {
      const { caller, vaultId, vault, list } = await createWorld(createMemoryStore())
      await vault.createItem(caller, { vaultId, item: noteDraft(vaultId) })
      expect((await list({ limit: 1 })).entries).toEqual(['createItem PENDING'])
    })

    it('fails a call whose success is recorded already', async () => {
      const { caller, vaultId, vault, store } = await createWorld()
      const put = store.records.put.bind(store.records)
      vi.spyOn(store.records, 'put').mockImplementation(async (key, record, version) => {
        if (key.collection === 'activity') await put({ ...key, id: `${key.id}!` }, record, 0)
        return put(key, record, version)
      })
      const creating = vault.createItem(caller, { vaultId, item: noteDraft(vaultId) })
      await expect(creating).rejects.toMatchObject({ code: 'CONFLICT' })
    })

    it.each([7, 8, 9])(
      'removes both records, also where a page of %d ends between',
      async (count) => {
        const store = createMemoryStore()
        const log = openableLog(createStoredActivityLog(store, { maxAgeMs: hour }), 'log')
        for (let time = 0; time < count; time++) {
          const entry = createEntry(String(time), time)
          await log.record({ ...entry, result: 'PENDING' })
          const transaction = { store, outside: store.records }
          await log.recordIn?.(transaction, { ...entry, result: 'SUCCESS' })
        }
        for (let time = 2 * hour; time < 2 * hour + 4; time++) {
          await log.record(createEntry('x', time))
          for (const { result } of await readEntries(log)) expect(result).toBe('SUCCESS')
        }
        expect(await actorsIn(store)).toBe('xxxx')
      },
    )
  })

  it('writes one record for an entry, whose index key is its vault, and no other', async () => {
    const { records, blobs } = createMemoryStore()
    const written: (readonly [string, string | undefined])[] = []
    const store: VaultStore = {
      blobs,
      records: {
        ...records,
        put(key, record, expectedVersion) {
          written.push([key.collection, record.indexKey])
          return records.put(key, record, expectedVersion)
        },
      },
    }
    const log = createStoredActivityLog(store, { maxAgeMs: hour })
    for (const time of [2 * hour, 4 * hour, 6 * hour])
      await log.record({ ...full, timestamp: new Date(time).toISOString() })
    expect(await actorsIn(store)).toBe('alice')
    expect(written).toEqual(Array.from({ length: 3 }, () => ['activity', 'v'.repeat(26)]))
  })

  it.each([0, -1, 90, hour - 1, Number.NaN])(
    'throws RangeError when `maxAgeMs` is %d',
    (maxAgeMs) => {
      expect(() => createStoredActivityLog(createMemoryStore(), { maxAgeMs })).toThrow(
        new RangeError(
          'options.maxAgeMs must be a number of 3,600,000 milliseconds or more, or Infinity',
        ),
      )
    },
  )

  it('keeps its entries in the store of the vault when the vault is deleted', async () => {
    const store = createMemoryStore()
    const activity = createStoredActivityLog(store)
    const { service, caller, vaultId } = await createTestVault({ store, activity })
    await service.deleteVault(caller, { vaultId })
    const { entries, total } = await service.listActivity(caller, { limit: 2, count: true })
    expect(entries.map(({ operation }) => operation)).toEqual(['deleteVault', 'getItem'])
    expect(total).toBe(6)
  })

  it.each([
    ['conflict', 'CONFLICT'],
    ['fail-before', 'STORAGE_FAILED'],
  ] as const)('rejects when an entry cannot be stored: %s', async (fault, code) => {
    const store = createFaultyStore(createMemoryStore(), () => fault)
    const log = createStoredActivityLog(store, { maxAgeMs: hour })
    await expect(log.record(full)).rejects.toMatchObject({ code })
  })

  it.each([
    ['text', 'no entry'],
    ['an empty object', '{}'],
    ['an entry of an unknown resource', JSON.stringify({ ...full, resource: { type: 'X' } })],
    ['a use without an origin', JSON.stringify({ ...full, use: { method: 'GET', place: 'path' } })],
    ['a use without a method', JSON.stringify({ ...full, use: { origin: 'https://example.com' } })],
  ])('rejects with a StorageError when a record is %s', async (_, text) => {
    const store = createMemoryStore()
    await store.records.put({ collection: 'activity', id: 'a' }, { body: utf8(text) }, 0)
    await expect(readEntries(createStoredActivityLog(store))).rejects.toBeInstanceOf(StorageError)
  })
})
