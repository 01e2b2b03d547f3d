import { describe, expect, it, vi } from 'vitest'
import { positionOf } from '../../src/activity/entry-position.js'
import {
  createActivityLog,
  createCallbackActivityLog,
  createMemoryActivityLog,
} from '../../src/activity.js'
import { undecryptableError } from '../../src/base/fixed-errors.js'
import {
  type ActivityEntry,
  type ActivityLog,
  createCaller,
  createVaultService,
} from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { measureCpuTime } from '../support/cpu-time.js'
import { runAll } from '../support/run-all.js'
import { createEntry, readEntries } from '../support/service/activity-entries.js'

async function recordAll(log: ActivityLog, entries: readonly ActivityEntry[]): Promise<void> {
  for (const entry of entries) await log.record(entry)
}

describe('createMemoryActivityLog', () => {
  it('lists nothing when no entry was recorded', async () => {
    expect(await readEntries(createMemoryActivityLog())).toEqual([])
  })

  it('lists the newest entry first, in whichever order they were recorded', async () => {
    const log = createMemoryActivityLog()
    const [b, d, a, c] = [1, 3, 0, 2].map((time) => createEntry(String(time), time)) as [
      ...[ActivityEntry, ActivityEntry, ActivityEntry, ActivityEntry],
    ]
    await recordAll(log, [b, d, a, c])
    expect(await readEntries(log)).toEqual([d, c, b, a])
  })

  it('replaces the entry of the same request and item, and no other', async () => {
    const log = createMemoryActivityLog()
    const pending = createEntry('a')
    const item = { ...pending, resource: { type: 'ITEM', item: { id: 'i'.repeat(26) } } } as const
    const settled = { ...pending, durationMs: 1 }
    await recordAll(log, [pending, createEntry('b'), item, settled])
    expect(await readEntries(log)).toEqual([
      expect.objectContaining({ actor: { id: 'b' } }),
      settled,
      item,
    ])
  })

  it('rejects an unknown option of entries', () => {
    const log = createMemoryActivityLog()
    const options = { untill: '2026-01-01T00:00:00Z' } as object
    expect(() => log.entries(options)).toThrow(
      new TypeError('options.untill is unknown, did you mean until?'),
    )
  })

  it('lists the entries after a position', async () => {
    const log = createMemoryActivityLog()
    const entries = [createEntry('a'), createEntry('', 1), createEntry('b', 2)] as const
    await recordAll(log, entries)
    const listed: ActivityEntry[] = []
    for await (const entry of log.entries({ after: positionOf(entries[2]) })) listed.push(entry)
    expect(listed).toEqual([entries[1], entries[0]])
  })

  it('drops the oldest entries when there are more than `maxEntries`', async () => {
    const log = createMemoryActivityLog({ maxEntries: 2 })
    await recordAll(log, [createEntry('a'), createEntry('b'), createEntry('c')])
    expect((await readEntries(log)).map(({ actor }) => actor.id)).toEqual(['c', 'b'])
  })

  it('keeps a single entry when `maxEntries` is 1', async () => {
    const log = createMemoryActivityLog({ maxEntries: 1 })
    await recordAll(log, [createEntry('a'), createEntry('b')])
    expect((await readEntries(log)).map(({ actor }) => actor.id)).toEqual(['b'])
  })

  it('keeps rejections of unknown callers apart, a tenth as many', async () => {
    const log = createMemoryActivityLog({ maxEntries: 20 })
    const known = Array.from({ length: 20 }, (_, index) => createEntry(`a${index}`))
    const rejections = Array.from({ length: 100 }, () => createEntry(''))
    await recordAll(log, [...known, ...rejections])
    expect(await readEntries(log)).toEqual([...known, ...rejections.slice(-2)].toReversed())
    const later = Array.from({ length: 20 }, (_, index) => createEntry(`b${index}`))
    await recordAll(log, later)
    expect(await readEntries(log)).toEqual([...rejections.slice(-2), ...later].toReversed())
  })

  it.runIf(runAll)('records an entry in constant time', async () => {
    const unknownCaller = createEntry('')
    const millisecondsFor = async (maxEntries: number): Promise<number> => {
      const log = createMemoryActivityLog({ maxEntries })
      for (let count = 0; count < maxEntries / 10; count++) await log.record(unknownCaller)
      for (let count = 0; count < maxEntries; count++) await log.record(createEntry('a'))
      const cpuTime = measureCpuTime()
      for (let count = 0; count < 20_000; count++) await log.record(createEntry('a'))
      return cpuTime()
    }
    await millisecondsFor(1000)
    // The ratio is about 100 when each new entry moves all others.
    expect(await millisecondsFor(200_000)).toBeLessThan(20 * (await millisecondsFor(1000)))
  })

  it('keeps 1,000 entries by default', async () => {
    const log = createMemoryActivityLog()
    const entries = Array.from({ length: 1001 }, (_, index) => createEntry(String(index)))
    await recordAll(log, entries)
    const listed = await readEntries(log)
    expect([listed.length, listed[0]?.actor.id, listed.at(-1)?.actor.id]).toEqual([
      1000,
      '1000',
      '1',
    ])
  })

  it('lists the entries present at the start when more are recorded meanwhile', async () => {
    const log = createMemoryActivityLog()
    await recordAll(log, [createEntry('a'), createEntry('b')])
    const listed: string[] = []
    for await (const { actor } of log.entries()) {
      listed.push(actor.id)
      await log.record(createEntry('later'))
    }
    expect(listed).toEqual(['b', 'a'])
  })

  it('skips no entry when an older one is recorded meanwhile', async () => {
    const log = createMemoryActivityLog()
    await recordAll(log, [createEntry('a', 1), createEntry('b', 2), createEntry('c', 3)])
    const listed: string[] = []
    for await (const { actor } of log.entries()) {
      if (actor.id === 'c') await log.record(createEntry('slow call', 0))
      listed.push(actor.id)
    }
    expect(listed).toEqual(['c', 'b', 'a', 'slow call'])
  })

  it('lists the entries before a time', async () => {
    const log = createMemoryActivityLog()
    const entries = [createEntry('a', 1), createEntry('b', 2), createEntry('c', 3)]
    await recordAll(log, entries)
    const listed: string[] = []
    for await (const { actor } of log.entries({ until: entries[2]?.timestamp }))
      listed.push(actor.id)
    expect(listed).toEqual(['b', 'a'])
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'throws a RangeError when `maxEntries` is %d',
    (maxEntries) => {
      const message = 'options.maxEntries must be a whole number of 1 or more'
      expect(() => createMemoryActivityLog({ maxEntries })).toThrow(new RangeError(message))
    },
  )
})

describe('createCallbackActivityLog', () => {
  it('passes each entry to the callback and waits for it', async () => {
    const received: ActivityEntry[] = []
    const log = createCallbackActivityLog(async (entry) => {
      await Promise.resolve()
      received.push(entry)
    })
    const entry = createEntry('a')
    await log.record(entry)
    expect(received).toEqual([entry])
  })

  it('accepts a callback that returns synchronously', async () => {
    await expect(
      createCallbackActivityLog(() => 'whatever').record(createEntry('a')),
    ).resolves.toBeUndefined()
  })

  it.each([
    () => Promise.reject(new Error('the disk is full')),
    () => {
      throw new Error('the disk is full')
    },
  ])('rejects with the error of the callback when it throws or rejects', async (record) => {
    await expect(createCallbackActivityLog(record).record(createEntry('a'))).rejects.toThrow(
      'the disk is full',
    )
  })

  it('lists no entries', async () => {
    const log = createCallbackActivityLog(() => undefined)
    await log.record(createEntry('a'))
    expect(await readEntries(log)).toEqual([])
  })
})

describe('createActivityLog', () => {
  /** A storage whose functions need `this`. */
  class Storage {
    readonly stored: ActivityEntry[] = []
    async record(entry: ActivityEntry): Promise<void> {
      const index = this.stored.findIndex(({ requestId }) => requestId === entry.requestId)
      if (index >= 0) this.stored[index] = entry
      else this.stored.unshift(entry)
    }
    async *entries(): AsyncGenerator<ActivityEntry> {
      yield* this.stored
    }
  }

  it('records the calls of a service in the storage, and lists them', async () => {
    const storage = new Storage()
    const service = createVaultService({
      store: createMemoryStore(),
      activity: createActivityLog(storage),
    })
    const caller = createCaller({ id: 'wendy', vaults: '*' })
    await service.listVaults(caller)
    const { entries } = await service.listActivity(caller)
    expect(entries).toMatchObject([{ operation: 'listVaults', actor: { id: 'wendy' } }])
    expect(storage.stored.map(({ operation }) => operation)).toEqual(['listActivity', 'listVaults'])
  })

  it('returns a log whose copies can replace its functions', async () => {
    const log = createActivityLog(new Storage())
    const recorded: string[] = []
    const record = async ({ operation }: ActivityEntry) => void recorded.push(operation)
    const service = createVaultService({ store: createMemoryStore(), activity: { ...log, record } })
    await service.listVaults(createCaller({ id: 'wendy', vaults: '*' }), {})
    expect(recorded).toEqual(['listVaults'])
    expect(await readEntries(log)).toEqual([])
  })
})

describe('createActivityLog', () => {
  it('ignores an unreadable entry that a storage reports without its record', async () => {
    const activity = createActivityLog({
      record: async () => {},
      async *entries({ onUnreadable } = {}) {
        onUnreadable?.(undecryptableError())
        yield* []
      },
    })
    const service = createVaultService({ store: createMemoryStore(), activity })
    const onUnreadable = vi.fn()
    const page = await service.listActivity(
      createCaller({ id: 'wendy', vaults: '*' }),
      {},
      { onUnreadable },
    )
    expect(page).toEqual({ entries: [] })
    expect(onUnreadable).not.toHaveBeenCalled()
  })
})
