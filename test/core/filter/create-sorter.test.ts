import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSorter } from '../../../src/core/filter/create-sorter.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

interface Entry {
  readonly id: string
  readonly key?: string
}

const sortOf = async (
  entries: readonly Entry[],
  isDescending: boolean,
  limit?: number,
): Promise<readonly Entry[]> => {
  const sorter = createSorter<Entry>(({ key }) => key, isDescending, limit)
  for (const entry of entries) sorter.add(entry)
  return sorter.sort()
}

/** A model of `createSorter`: the sort of JavaScript, which is stable, after a sort by id. */
function sortNaively(entries: readonly Entry[], isDescending: boolean): readonly Entry[] {
  const present = entries.filter(({ key }) => key !== undefined)
  const absent = entries.filter(({ key }) => key === undefined)
  const byId = (left: Entry, right: Entry): number => (left.id < right.id ? -1 : 1)
  const byKey = ({ key: left = '' }: Entry, { key: right = '' }: Entry): number => {
    if (left === right) return 0
    return left < right === isDescending ? 1 : -1
  }
  const parts = [present.toSorted(byId).toSorted(byKey), absent.toSorted(byId)]
  return (isDescending ? parts.reverse() : parts).flat()
}

describe('createSorter', () => {
  it('returns the same results as a stable sort, up to the limit', async () => {
    const id = fc.integer({ min: 0, max: 99 }).map((number) => `${number}`.padStart(2, '0'))
    const key = fc.constantFrom('', 'a', 'B', 'b', 'ab', '😀', '\uffff')
    const entry = fc.record({ id, key }, { requiredKeys: ['id'] })
    const entries = fc.uniqueArray(entry, { selector: (one) => one.id, maxLength: 60 })
    const limits = fc.option(fc.integer({ min: 1, max: 70 }), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(entries, fc.boolean(), limits, async (all, isDescending, limit) => {
        const expected = sortNaively(all, isDescending).slice(0, limit)
        expect(await sortOf(all, isDescending, limit)).toEqual(expected)
      }),
      { numRuns: propertyRuns() },
    )
  })

  it.each([undefined, 2])(
    'returns a result once that is added twice, with limit %s',
    async (limit) => {
      const [a, b] = [
        { id: '1', key: 'a' },
        { id: '2', key: 'b' },
      ]
      expect(await sortOf([b, a, b, { ...a, key: 'c' }, a], false, limit)).toEqual([a, b])
    },
  )

  it('adds a result again that a better one has displaced', async () => {
    const [a, b, moved] = [
      { id: '1', key: 'b' },
      { id: '2', key: 'c' },
      { id: '2', key: 'a' },
    ]
    expect(await sortOf([b, a, moved], false, 1)).toEqual([moved])
  })

  it('yields to the event loop while it sorts many results', async () => {
    const count = 20_000
    const entries = Array.from({ length: count }, (_, index) => ({
      id: `${index}`.padStart(6, '0'),
      key: `${(index * 7919) % count}`.padStart(6, '0'),
    }))
    let turns = 0
    let isDone = false
    const countTurns = (): void => {
      turns++
      if (!isDone) setImmediate(countTurns)
    }
    setImmediate(countTurns)
    const sorted = await sortOf(entries, false)
    isDone = true
    expect(sorted.map(({ key }) => Number(key))).toEqual(entries.map((_, index) => index))
    expect(turns).toBeGreaterThanOrEqual(5)
  })
})
