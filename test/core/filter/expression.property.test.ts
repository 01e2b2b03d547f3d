import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemSyntax } from '../../../src/core/filter/contract-filters.js'
import { createMatcher, requiredTitles } from '../../../src/core/filter/expression.js'
import { parseExpression } from '../../../src/core/filter/parse-expression.js'
import { type Filter, formatFilter, type ItemSummary } from '../../../src/index.js'
import { createTestVault } from '../../../src/testing.js'
import { arbitraryFilter } from '../../support/arbitraries/filters.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { type FilterTarget, findMatches } from '../../support/service/filter-model.js'

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'ß', '😀'), maxLength: 2 })
const targetLists = fc.array(
  fc.record({ title: text, tags: fc.array(text, { maxLength: 3 }) }, { requiredKeys: ['tags'] }),
  { maxLength: 8 },
)
const numRuns = propertyRuns()

describe('createMatcher', () => {
  it('matches the same targets as a model with sets', async () => {
    const template = await createTemplate()
    await fc.assert(
      fc.asyncProperty(arbitraryFilter(text), targetLists, async (filter, all) => {
        const matches = createMatcher(parse(filter))
        const found = new Set<FilterTarget>()
        for (const target of all) if (await matches({ ...template, ...target })) found.add(target)
        expect(found).toEqual(findMatches(filter, new Set(all)))
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
        const titles = requiredTitles(parse(filter))
        if (titles === undefined) return
        for (const { title } of findMatches(filter, new Set(all))) {
          expect(titles).toContain(title)
          checked++
        }
      }),
      { numRuns },
    )
    expect(checked).toBeGreaterThan(0)
  })
})

function parse(filter: Filter) {
  const expression = parseExpression(formatFilter(filter), itemSyntax)
  if (expression === undefined) throw new Error('the filter is blank')
  return expression
}

/** Resolves with an item without a title. */
async function createTemplate(): Promise<ItemSummary> {
  const { service, caller, vaultId } = await createTestVault()
  const [item] = await service.listItems(caller, { vaultId })
  if (item === undefined) throw new Error('the vault is empty')
  const { title: _title, ...template } = item
  return template
}
