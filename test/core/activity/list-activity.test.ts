import { describe, expect, it, vi } from 'vitest'
import { createActivityLog, createMemoryActivityLog } from '../../../src/activity.js'
import {
  type ActivityEntry,
  type Caller,
  createCaller,
  createVaultService,
  StorageError,
} from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createEntry } from '../../support/service/activity-entries.js'
import { storageFailed } from '../../support/service/rejections.js'

const vaultId = 'v'.repeat(26)
const otherVaultId = 'w'.repeat(26)
const caller = createCaller({ id: 'tester', vaults: '*' })

/** A service whose log contains these entries and records no more. */
function createServiceWithEntries(entries: readonly ActivityEntry[]) {
  const activity = createActivityLog({
    record: async () => {},
    async *entries() {
      yield* entries
    },
  })
  return createVaultService({ store: createMemoryStore(), activity })
}

function vaultEntry(id: string, actorId: string): ActivityEntry {
  return { ...createEntry(actorId), resource: { type: 'VAULT', vault: { id } } }
}

const manyEntries = Array.from({ length: 1134 }, (_, index) => vaultEntry(vaultId, String(index)))
const actorIdsOf = (entries: readonly ActivityEntry[]) => entries.map(({ actor }) => actor.id)

describe('listActivity', () => {
  it('rejects an unknown member, which would look like a filter', async () => {
    const input = { vault: vaultId } as object
    const call = createServiceWithEntries(manyEntries).listActivity(caller, input)
    await expect(call).rejects.toMatchObject({
      status: 400,
      message: 'vault: unknown, did you mean vaultId?',
    })
  })

  it.each([
    [{ limit: 3 }, ['0', '1', '2']],
    [{ limit: 2, offset: 1 }, ['1', '2']],
    [{ limit: 1000, offset: 1132 }, ['1132', '1133']],
    [{ offset: 1134 }, []],
    [{ offset: 99_999 }, []],
    [{}, actorIdsOf(manyEntries.slice(0, 50))],
    [{ limit: undefined, offset: undefined }, actorIdsOf(manyEntries.slice(0, 50))],
  ])('returns the page %j, counted only when asked to', async (input, ids) => {
    const service = createServiceWithEntries(manyEntries)
    const page = await service.listActivity(caller, input)
    expect([actorIdsOf(page.entries), page.total]).toEqual([ids, undefined])
    const counted = await service.listActivity(caller, { ...input, count: true })
    expect([actorIdsOf(counted.entries), counted.total]).toEqual([ids, 1134])
  })

  it.each([{ limit: 0 }, { limit: 1001 }, { limit: 1.5 }, { offset: -1 }, { offset: '1' }])(
    'rejects the page %j',
    async (input) => {
      const call = createServiceWithEntries(manyEntries).listActivity(
        caller,
        input as { limit: number },
      )
      await expect(call).rejects.toMatchObject({ status: 400 })
    },
  )

  it.each([
    [10_000, {}, 10_000],
    [10_001, {}, undefined],
    [10_001, { offset: 10_000 }, undefined],
    [10_030, { offset: 9990, limit: 1000 }, undefined],
  ])('counts at most 10,000 entries when there are %d: %j', async (size, input, total) => {
    const service = createServiceWithEntries(Array(size).fill(vaultEntry(vaultId, 'a')))
    const page = await service.listActivity(caller, { ...input, count: true })
    expect(page.total).toBe(total)
    const { offset = 0, limit = 50 } = input as { offset?: number; limit?: number }
    expect(page.entries).toHaveLength(Math.min(limit, size - offset))
    expect(page.next === undefined).toBe(offset + limit >= size)
  })

  it.each([998, 999, 1000, 1001])('has a next page until %d entries are read', async (size) => {
    const entries = Array.from({ length: size }, (_, index) => createEntry('a', -index))
    const service = createServiceWithEntries([
      ...entries,
      { ...vaultEntry(vaultId, 'last'), timestamp: '2025-01-01T00:00:00.000Z' },
    ])
    const listed: ActivityEntry[] = []
    for (let after: string | undefined; ; ) {
      const page = await service.listActivity(caller, { callerId: 'last', vaultId, after })
      listed.push(...page.entries)
      after = page.next
      if (after === undefined) break
    }
    expect(actorIdsOf(listed)).toEqual(['last'])
  })

  it('returns and counts only the entries of vaults that the caller can read', async () => {
    const service = createServiceWithEntries([
      vaultEntry(vaultId, 'a'),
      vaultEntry(otherVaultId, 'b'),
      vaultEntry(vaultId, 'c'),
    ])
    const permissions = { reader: 'read', writer: 'write' } as const
    const pages = await Promise.all(
      Object.entries(permissions).map(async ([id, permission]) => {
        const reader = createCaller({ id, vaults: { [vaultId]: permission } })
        const page = await service.listActivity(reader, { count: true })
        return [actorIdsOf(page.entries), page.total]
      }),
    )
    expect(pages).toEqual([
      [['a', 'c'], 2],
      [[], 0],
    ])
  })

  it('returns entries without a vault only to their actor', async () => {
    const service = createServiceWithEntries([
      createEntry('me'),
      createEntry('you'),
      createEntry(''),
      createEntry('7'),
    ])
    const listFor = async (id: unknown) =>
      actorIdsOf((await service.listActivity({ id: id as string, can: () => true }, {})).entries)
    expect(await listFor('me')).toEqual(['me'])
    expect(await listFor(7)).toEqual(['7'])
  })

  it('calls `can` once for each vault and accepts nothing but true', async () => {
    const can = vi.fn((_permission: string, id: string) => (id === vaultId ? 1 : true))
    const customCaller = { id: 'x', can } as unknown as Caller
    const entries = [vaultId, otherVaultId, vaultId, otherVaultId, otherVaultId].map((id) =>
      vaultEntry(id, id),
    )
    const { total } = await createServiceWithEntries(entries).listActivity(customCaller, {
      count: true,
    })
    expect(total).toBe(3)
    expect(can.mock.calls).toEqual([
      ['read', vaultId, 'listActivity'],
      ['read', otherVaultId, 'listActivity'],
    ])
  })

  it('returns no entries when no log is configured', async () => {
    const service = createVaultService({ store: createMemoryStore() })
    expect(await service.listActivity(caller)).toEqual({ entries: [] })
    expect(await service.listActivity(caller, { count: true })).toEqual({ entries: [], total: 0 })
  })

  it('includes its own earlier calls', async () => {
    const activity = createMemoryActivityLog()
    const service = createVaultService({ store: createMemoryStore(), activity })
    expect((await service.listActivity(caller)).entries).toEqual([])
    const { entries } = await service.listActivity(caller)
    expect(entries).toMatchObject([{ action: 'READ', resource: { type: 'VAULT' } }])
  })

  it.each([
    ['a foreign error', new Error('secret words')],
    ['an error of the library', new StorageError('the store failed')],
  ])('rejects with a StorageError when the log fails with %s', async (_, error) => {
    const activity = createActivityLog({
      record: async () => {},
      // biome-ignore lint/correctness/useYield: it fails before its first entry.
      async *entries() {
        throw error
      },
    })
    const service = createVaultService({ store: createMemoryStore(), activity })
    const failure = await service.listActivity(caller).catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(StorageError)
    expect(String((failure as Error).cause)).not.toContain('secret')
  })

  it.each([
    ['null', null],
    ['text', 'secret words'],
    ['an entry without an actor', { ...createEntry('tester'), actor: undefined }],
  ])('rejects with a StorageError when the log contains %s', async (_, entry) => {
    const listed = createServiceWithEntries([entry as unknown as ActivityEntry]).listActivity(
      caller,
      {},
    )
    await expect(listed).rejects.toMatchObject({
      ...storageFailed,
      message: 'the activity log contains an invalid entry',
    })
  })

  it('yields to the event loop while it reads a long log', async () => {
    const service = createServiceWithEntries(Array(2000).fill(createEntry('tester')))
    let turns = 0
    const count = (): void => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    expect((await service.listActivity(caller, { count: true })).total).toBe(2000)
    clearImmediate(timer)
    expect(turns).toBeGreaterThanOrEqual(3)
  })
})
