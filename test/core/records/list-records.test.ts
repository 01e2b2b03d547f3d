import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listRecords } from '../../../src/core/records/list-records.js'
import type { ListedRecord, RecordQuery } from '../../../src/index.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const body = new Uint8Array()

describe('listRecords', () => {
  it('returns every record of several index keys once, ascending, up to the limit', async () => {
    const id = fc.integer({ min: 0, max: 40 }).map((number) => `${number}`.padStart(2, '0'))
    const idLists = fc.array(fc.uniqueArray(id), { minLength: 1, maxLength: 9 })
    const limits = fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(idLists, limits, async (lists, limit) => {
        const found = await list(lists, limit)
        expect(found).toEqual([...new Set(lists.flat())].sort().slice(0, limit))
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('yields to the event loop while it merges the records of two index keys', async () => {
    const ids = Array.from({ length: 40_000 }, (_, index) => `${index}`.padStart(6, '0'))
    let turns = 0
    let isDone = false
    const count = (): void => {
      turns++
      if (!isDone) setImmediate(count)
    }
    setImmediate(count)
    let turnsBefore = 0
    const halves = [0, 1].map((half) => ids.filter((_, index) => index % 2 === half))
    const found = await list(halves, undefined, () => {
      turnsBefore = turns
    })
    isDone = true
    expect(found).toEqual(ids)
    expect(turns - turnsBefore).toBeGreaterThanOrEqual(2)
  })
})

/**
 * Lists a store that has these ids under the index keys 0, 1, 2 and so on. `onPage` is called for
 * each page.
 */
function list(
  idLists: readonly (readonly string[])[],
  limit?: number,
  onPage = (): void => {},
): Promise<readonly string[]> {
  const byIndexKey = new Map(idLists.map((ids, indexKey) => [`${indexKey}`, ids.toSorted()]))
  const records = {
    async list(_collection: string, page: RecordQuery): Promise<readonly ListedRecord[]> {
      onPage()
      const ids = byIndexKey.get(page.indexKey ?? '') ?? []
      const start = page.after === undefined ? 0 : ids.indexOf(page.after) + 1
      return ids.slice(start, start + page.limit).map((id) => ({ id, version: 1, body }))
    },
  }
  const plan = { titles: new Set(byIndexKey.keys()), matches: async () => true }
  const context = { store: { records } } as never
  return listRecords(context, 'items/x', { plan, limit }, async ({ id }) => id)
}
