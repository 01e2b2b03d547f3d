import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Filter } from '../../../src/core/filter/filter.js'
import {
  createFilterMatcher,
  type FilterTarget,
  requiredTitles,
} from '../../../src/core/filter/filter.js'
import { arbitraryFilter } from '../../../src/testing/arbitraries/arbitrary-filters.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'ß', '😀'), maxLength: 2 })
const targetLists = fc.array(
  fc.record({ title: text, tags: fc.array(text, { maxLength: 3 }) }, { requiredKeys: ['tags'] }),
  { maxLength: 8 },
)
const numRuns = propertyRuns()

describe('createFilterMatcher', () => {
  it('matches the same targets as a model with sets', () => {
    fc.assert(
      fc.property(arbitraryFilter(text), targetLists, (filter, all) => {
        const matches = all.filter(createFilterMatcher(filter))
        expect(new Set(matches)).toEqual(matchesOf(filter, new Set(all)))
      }),
      { numRuns },
    )
  })
})

describe('requiredTitles', () => {
  it('returns titles one of which every match has', () => {
    let checked = 0
    fc.assert(
      fc.property(arbitraryFilter(text), targetLists, (filter, all) => {
        const titles = requiredTitles(filter)
        if (titles === undefined) return
        for (const { title } of all.filter(createFilterMatcher(filter))) {
          expect(titles).toContain(title)
          checked++
        }
      }),
      { numRuns },
    )
    expect(checked).toBeGreaterThan(0)
  })
})

/** A model of `createFilterMatcher`, with unions and intersections of sets and with `indexOf`. */
function matchesOf(filter: Filter, all: ReadonlySet<FilterTarget>): ReadonlySet<FilterTarget> {
  if ('terms' in filter) {
    const parts = filter.terms.map((term) => matchesOf(term, all))
    if (filter.op === 'or') return new Set(parts.flatMap((part) => [...part]))
    return new Set([...all].filter((target) => !parts.some((part) => !part.has(target))))
  }
  const { op, attribute, value } = filter
  const matches = new Set<FilterTarget>()
  for (const target of all) {
    const titles = target.title === undefined ? [] : [target.title]
    for (const text of attribute === 'tag' ? target.tags : titles) {
      const index = text.indexOf(value)
      if (index >= 0 && (op === 'co' || (index === 0 && text.length === value.length)))
        matches.add(target)
    }
  }
  return matches
}
