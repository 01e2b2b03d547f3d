import { describe, expect, it } from 'vitest'
import {
  type ActivityEntry,
  type ActivityLog,
  createCallbackActivityLog,
  createMemoryActivityLog,
} from '../../../src/index.js'
import { entryOf, listOf } from '../../support/service/activity-entries.js'

async function recordAll(log: ActivityLog, entries: readonly ActivityEntry[]): Promise<void> {
  for (const entry of entries) await log.record(entry)
}

describe('createMemoryActivityLog', () => {
  it('is empty at first', async () => {
    expect(await listOf(createMemoryActivityLog())).toEqual([])
  })

  it('lists the newest entry first, whatever the entries say of the time', async () => {
    const log = createMemoryActivityLog()
    const entries = [entryOf('a', 3), entryOf('b', 1), entryOf('c', 2)]
    await recordAll(log, entries)
    expect(await listOf(log)).toEqual(entries.toReversed())
  })

  it('keeps as many as it is told, and loses the oldest', async () => {
    const log = createMemoryActivityLog({ maxEntries: 2 })
    await recordAll(log, [entryOf('a'), entryOf('b'), entryOf('c')])
    expect((await listOf(log)).map(({ actor }) => actor.id)).toEqual(['c', 'b'])
  })

  it('keeps a single one if it is told so', async () => {
    const log = createMemoryActivityLog({ maxEntries: 1 })
    await recordAll(log, [entryOf('a'), entryOf('b')])
    expect((await listOf(log)).map(({ actor }) => actor.id)).toEqual(['b'])
  })

  it('keeps refusals of unknown callers beside the others, a tenth as many', async () => {
    const log = createMemoryActivityLog({ maxEntries: 20 })
    const known = Array.from({ length: 20 }, (_, at) => entryOf(`a${at}`))
    const strangers = Array.from({ length: 100 }, (_, at) => entryOf('', at))
    await recordAll(log, [...known, ...strangers])
    expect(await listOf(log)).toEqual([...known, ...strangers.slice(-2)].toReversed())
    const later = Array.from({ length: 20 }, (_, at) => entryOf(`b${at}`))
    await recordAll(log, later)
    expect(await listOf(log)).toEqual([...strangers.slice(-2), ...later].toReversed())
  })

  it('takes an entry as quickly however many it keeps', async () => {
    const outsider = entryOf('')
    const timeOf = async (maxEntries: number): Promise<number> => {
      const log = createMemoryActivityLog({ maxEntries })
      for (let count = 0; count < maxEntries / 10; count++) await log.record(outsider)
      for (let count = 0; count < maxEntries; count++) await log.record(entryOf('a'))
      const began = performance.now()
      for (let count = 0; count < 2000; count++) await log.record(entryOf('a'))
      return performance.now() - began
    }
    await timeOf(1000)
    // It was a hundred times as long, as each entry moved all others.
    expect(await timeOf(200_000)).toBeLessThan(20 * (await timeOf(1000)))
  })

  it('keeps 1,000 unless it is told otherwise', async () => {
    const log = createMemoryActivityLog()
    const entries = Array.from({ length: 1001 }, (_, index) => entryOf(String(index)))
    await recordAll(log, entries)
    const kept = await listOf(log)
    expect([kept.length, kept[0]?.actor.id, kept.at(-1)?.actor.id]).toEqual([1000, '1000', '1'])
  })

  it('lists what was kept when the list began, while more comes', async () => {
    const log = createMemoryActivityLog()
    await recordAll(log, [entryOf('a'), entryOf('b')])
    const seen: string[] = []
    for await (const { actor } of log.entries()) {
      seen.push(actor.id)
      await log.record(entryOf('later'))
    }
    expect(seen).toEqual(['b', 'a'])
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'refuses to maxEntries %d',
    (maxEntries) => {
      const message = 'maxEntries must be 1 or more'
      expect(() => createMemoryActivityLog({ maxEntries })).toThrow(new RangeError(message))
    },
  )
})

describe('createActivityLog', () => {
  it('hands over each entry, and waits until it is taken', async () => {
    const taken: ActivityEntry[] = []
    const log = createCallbackActivityLog(async (entry) => {
      await Promise.resolve()
      taken.push(entry)
    })
    await log.record(entryOf('a'))
    expect(taken).toEqual([entryOf('a')])
  })

  it('takes a function that answers at once', async () => {
    await expect(
      createCallbackActivityLog(() => 'whatever').record(entryOf('a')),
    ).resolves.toBeUndefined()
  })

  it.each([
    () => Promise.reject(new Error('the disk is full')),
    () => {
      throw new Error('the disk is full')
    },
  ])('rejects as the function does, however it fails', async (record) => {
    await expect(createCallbackActivityLog(record).record(entryOf('a'))).rejects.toThrow(
      'the disk is full',
    )
  })

  it('lists nothing', async () => {
    const log = createCallbackActivityLog(() => undefined)
    await log.record(entryOf('a'))
    expect(await listOf(log)).toEqual([])
  })
})
