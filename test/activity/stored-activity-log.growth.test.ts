import { describe, expect, it } from 'vitest'
import { createStoredActivityLog } from '../../src/activity.js'
import {
  type ActivityEntry,
  createCaller,
  createVaultService,
  type ListActivityInput,
  type VaultStore,
} from '../../src/index.js'
import { createEncryptedStore } from '../../src/storage/encrypted.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createEntry } from '../support/service/activity-entries.js'
import { createDamagedStore } from '../support/stores/damaged-store.js'
import { createKeys } from '../support/stores/encrypted-stores.js'

const vaultIds = Array.from({ length: 10 }, (_, index) => String(index).repeat(26))
const [vaultId = ''] = vaultIds
const itemId = 'i'.repeat(26)
const caller = createCaller({ id: 'admin', vaults: '*' })

/** The entry with this number, a second after the one before. One in a hundred is of the item. */
function entryOf(index: number): ActivityEntry {
  const id = vaultIds[index % 10] ?? ''
  const item = index % 100 === 0 ? { item: { id: itemId } } : {}
  const resource = { type: 'ITEM', vault: { id }, ...item } as const
  return { ...createEntry(`caller-${index % 50}`, index * 1000), resource }
}

/** A store that counts the records that its lists return. */
function countListed(store: VaultStore): { readonly store: VaultStore; listed: number } {
  const counted = {
    listed: 0,
    store: {
      ...store,
      records: {
        ...store.records,
        async list(...query: Parameters<VaultStore['records']['list']>) {
          const records = await store.records.list(...query)
          counted.listed += records.length
          return records
        },
      },
    },
  }
  return counted
}

async function createLog(store: VaultStore, size: number) {
  const log = createStoredActivityLog(store)
  const entries = Array.from({ length: size }, (_, index) => entryOf(index))
  for (const entry of entries) await log.record(entry)
  const counted = countListed(store)
  const activity = { ...createStoredActivityLog(counted.store), record: async () => {} }
  const options = { store: createMemoryStore(), activity, onError: () => {} }
  const service = createVaultService(options)
  return { service, counted, entries }
}

const queries: readonly (readonly [string, ListActivityInput, number])[] = [
  ['the newest entries', {}, 51],
  ['one entry', { limit: 1 }, 51],
  ['the newest 1,000 entries', { limit: 1000 }, 1500],
  ['one vault', { vaultId }, 51],
  ['one item', { vaultId, itemId }, 1000],
  ['one caller', { callerId: 'caller-7' }, 1000],
  ['unknown callers', { callerId: '' }, 1000],
  ['no call', { operation: 'getItem' }, 1000],
  ['ten minutes', { since: '2026-01-01T00:10:00Z', until: '2026-01-01T00:20:00Z' }, 51],
]

describe('createStoredActivityLog', () => {
  it.each(queries)('reads no more records for %s when the log grows', async (_, query, most) => {
    for (const size of [1200, 5000]) {
      const { service, counted } = await createLog(createMemoryStore(), size)
      await service.listActivity(caller, query)
      expect(counted.listed).toBeLessThanOrEqual(most)
    }
  })

  it('reads no more than a page when no record is readable', async () => {
    const { store: inner, damage } = createDamagedStore(createMemoryStore())
    const store = createEncryptedStore(inner, { keys: createKeys() })
    const { service, counted } = await createLog(store, 1600)
    for (const { id } of await inner.records.list('activity', { limit: 1600 }))
      await damage({ collection: 'activity', id })
    const errors: unknown[] = []
    const onUnreadable = (error: unknown): void => void errors.push(error)
    const first = await service.listActivity(caller, {}, { onUnreadable })
    expect([first.entries.length, counted.listed <= 1020]).toEqual([0, true])
    const after = String(first.next)
    expect(await service.listActivity(caller, { after }, { onUnreadable })).toEqual({ entries: [] })
    expect(errors).toHaveLength(1600)
  })

  it.each(queries)('returns every entry of %s once when its pages are read', async (_, query) => {
    const { service, entries } = await createLog(createMemoryStore(), 2200)
    const { since = '', until = '' } = query
    const expected = entries.filter(
      ({ actor, resource, timestamp, operation }) =>
        (query.vaultId === undefined || resource.vault?.id === query.vaultId) &&
        (query.itemId === undefined || resource.item?.id === query.itemId) &&
        (query.callerId === undefined || actor.id === query.callerId) &&
        (query.operation === undefined || operation === query.operation) &&
        !(Date.parse(timestamp) < Date.parse(since) || Date.parse(timestamp) >= Date.parse(until)),
    )
    const listed: ActivityEntry[] = []
    for (let after: string | undefined = undefined; ; ) {
      const page = await service.listActivity(caller, { limit: 70, ...query, after })
      listed.push(...page.entries)
      if (page.next === undefined) break
      after = page.next
    }
    expect(listed).toEqual(expected.toReversed())
  })

  it('returns every entry of one millisecond once when outcomes are recorded between pages', async () => {
    const store = createMemoryStore()
    const logs = [createStoredActivityLog(store), createStoredActivityLog(store)] as const
    const items = ['a', 'b', 'c'].map((letter) => ({ id: letter.repeat(26) }))
    const pending: ActivityEntry[] = []
    for (let call = 0; call < 12; call++) {
      const entry: ActivityEntry = { ...createEntry('a', call >> 2), result: 'PENDING' }
      const vault = { id: vaultId }
      const resources = [{ type: 'VAULT', vault }, ...items.map((item) => ({ vault, item }))]
      for (const resource of call % 3 === 0 ? resources : resources.slice(0, 1))
        pending.push({ ...entry, resource: { type: 'ITEM', ...resource } } as ActivityEntry)
    }
    for (const entry of pending) await logs[0].record(entry)
    for (const limit of [1, 2, 3, 5]) {
      const service = createVaultService({
        store: createMemoryStore(),
        activity: { ...logs[0], record: async () => {} },
      })
      const listed: string[] = []
      for (let after: string | undefined; ; ) {
        const page = await service.listActivity(caller, {
          limit,
          after,
          until: '2030-01-01T00:00:00Z',
        })
        listed.push(
          ...page.entries.map(({ requestId, resource }) => `${requestId} ${resource.item?.id}`),
        )
        const entry = pending[listed.length]
        if (entry) await logs[1].record({ ...entry, result: 'SUCCESS' }, entry).catch(() => {})
        after = page.next
        if (after === undefined) break
      }
      expect(listed).toHaveLength(pending.length)
      expect(new Set(listed).size).toBe(pending.length)
    }
  })

  it.each(['1960-01-01T00:00:00Z', '1970-01-01T00:00:00Z', '0000-01-01T00:00:00Z'])(
    'returns no entry before %s',
    async (until) => {
      const { service } = await createLog(createMemoryStore(), 3)
      expect(await service.listActivity(caller, { until })).toEqual({ entries: [] })
    },
  )

  it.each(['', 'yesterday', '2026-02-30T00:00:00Z', '2026-01-01', '2026-01-01T24:00:00Z'])(
    'rejects the time %j',
    async (until) => {
      const { service } = await createLog(createMemoryStore(), 1)
      for (const input of [{ until }, { since: until }])
        await expect(service.listActivity(caller, input)).rejects.toMatchObject({ status: 400 })
    },
  )
})
