import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { walkPages } from '../../src/base/walk-pages.js'
import {
  type ListedRecord,
  type RecordQuery,
  type RecordStore,
  StorageError,
} from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'

describe('walkPages', () => {
  it('yields every record once, ascending, with pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(30), { maxLength: 40 }),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 100 }),
        fc.boolean(),
        async (lengths, limit, maxBytes, isBounded) => {
          const { records } = await storeOf(lengths)
          const list = (page: RecordQuery) => {
            const { maxBytes: _maxBytes, ...rest } = page
            return records.list('c', isBounded ? page : rest)
          }
          const ids = await idsOf(walkPages(list, { limit, maxBytes }))
          expect(ids).toEqual(lengths.map((_, index) => idOf(index)))
        },
      ),
      { numRuns: propertyRuns(50) },
    )
  })

  it('loads pages of 2,097,152 bytes, and the next one when a page reaches that size', async () => {
    const { records } = await storeOf(Array(7).fill(1_000_000))
    const pages: RecordQuery[] = []
    const list = (page: RecordQuery) => {
      pages.push(page)
      return records.list('c', page)
    }
    expect(await idsOf(walkPages(list, { limit: 500, after: idOf(0) }))).toHaveLength(6)
    const page = { limit: 500, maxBytes: 2_097_152 }
    expect(pages).toStrictEqual([
      { ...page, after: idOf(0) },
      { ...page, after: idOf(3) },
      { ...page, after: idOf(6) },
    ])
  })

  it('yields to the event loop between pages and between large records', async () => {
    for (const [lengths, limit] of [
      [Array(5).fill(300_000), 500],
      [Array(5).fill(0), 1],
    ] as const) {
      const { records } = await storeOf(lengths)
      let turns = 0
      const count = (): void => {
        turns++
        timer = setImmediate(count)
      }
      let timer = setImmediate(count)
      await idsOf(walkPages((page) => records.list('c', page), { limit }))
      clearImmediate(timer)
      expect(turns).toBeGreaterThanOrEqual(5)
    }
  })

  it.each<[string, (page: RecordQuery) => string[]]>([
    ['the same page repeatedly', () => ['a', 'b']],
    ['a record twice', () => ['a', 'a']],
    ['records in descending order', () => ['b', 'a']],
    ['a record before the one that the page continues after', ({ after = 'b' }) => [after, 'c']],
  ])('throws a StorageError when the store returns %s', async (_, idsFor) => {
    const list = async (page: RecordQuery): Promise<ListedRecord[]> =>
      idsFor(page).map((id) => ({ id, version: 1, body: new Uint8Array(0) }))
    const walk = idsOf(walkPages(list, { limit: 2, after: 'Z' }))
    await expect(walk).rejects.toThrow(new StorageError('the store lists records out of order'))
  })
})

async function storeOf(lengths: readonly number[]): Promise<{ readonly records: RecordStore }> {
  const { records } = createMemoryStore()
  for (const [index, length] of lengths.entries())
    await records.put({ collection: 'c', id: idOf(index) }, { body: new Uint8Array(length) }, 0)
  return { records }
}

async function idsOf(walk: AsyncIterable<ListedRecord>): Promise<string[]> {
  const ids: string[] = []
  for await (const { id } of walk) ids.push(id)
  return ids
}

function idOf(index: number): string {
  return String(index).padStart(4, '0')
}
