import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Filter } from '../../../src/core/filter/filter.js'
import {
  type FilterTarget,
  matchesFilter,
  requiredTitles,
} from '../../../src/core/filter/filter.js'
import { arbitraryFilter } from '../../support/arbitraries/filters.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'ß', '😀'), maxLength: 2 })
const things = fc.array(
  fc.record({ title: text, tags: fc.array(text, { maxLength: 3 }) }, { requiredKeys: ['tags'] }),
  { maxLength: 8 },
)
const numRuns = propertyRuns()

describe('a filter', () => {
  it('lets through what a calculation with sets does', () => {
    fc.assert(
      fc.property(arbitraryFilter(text), things, (filter, all) => {
        const through = all.filter(matchesFilter(filter))
        expect(new Set(through)).toEqual(chosen(filter, new Set(all)))
      }),
      { numRuns },
    )
  })

  it('demands one of the titles that all it lets through have', () => {
    let demanded = 0
    fc.assert(
      fc.property(arbitraryFilter(text), things, (filter, all) => {
        const titles = requiredTitles(filter)
        if (titles === undefined) return
        for (const { title } of all.filter(matchesFilter(filter))) {
          expect(titles).toContain(title)
          demanded++
        }
      }),
      { numRuns },
    )
    expect(demanded).toBeGreaterThan(0)
  })
})

/** The same by intersections, unions and searches of another kind. */
function chosen(filter: Filter, all: ReadonlySet<FilterTarget>): ReadonlySet<FilterTarget> {
  if ('terms' in filter) {
    const parts = filter.terms.map((term) => chosen(term, all))
    if (filter.op === 'or') return new Set(parts.flatMap((part) => [...part]))
    return new Set([...all].filter((thing) => !parts.some((part) => !part.has(thing))))
  }
  const { op, attribute, value } = filter
  const found = new Set<FilterTarget>()
  for (const thing of all) {
    const titles = thing.title === undefined ? [] : [thing.title]
    for (const one of attribute === 'tag' ? thing.tags : titles) {
      const at = one.indexOf(value)
      if (at >= 0 && (op === 'co' || (at === 0 && one.length === value.length))) found.add(thing)
    }
  }
  return found
}
