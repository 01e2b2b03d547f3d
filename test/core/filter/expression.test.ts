import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keepCase } from '../../../src/base/fold-case.js'
import { itemAttributes } from '../../../src/core/filter/attributes.js'
import { createMatcher, requiredTitles } from '../../../src/core/filter/expression.js'
import { parseExpression } from '../../../src/core/filter/parse-expression.js'
import { createTestVault } from '../../../src/testing.js'
import { arbitraryFilter } from '../../support/arbitraries/filters.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { findMatches } from '../../support/service/filter-model.js'
import { formatFilter } from '../../support/service/format-filter.js'

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'ß', '😀'), maxLength: 2 })
const targetLists = fc.array(
  fc.record({ title: text, tags: fc.array(text, { maxLength: 3 }) }, { requiredKeys: ['tags'] }),
  { maxLength: 8 },
)

describe('requiredTitles', () => {
  it.each([
    ['title eq "a"', ['a']],
    ['title co "a"', undefined],
    ['tag eq "a"', undefined],
    ['title eq "a" and tag eq "b"', ['a']],
    ['tag eq "b" and title eq "a"', ['a']],
    ['tag eq "a" and title co "b"', undefined],
    ['title eq "a" or name eq "b" or title eq "a"', ['a', 'b']],
    ['title eq "a" or tag eq "b"', undefined],
    ['(title eq "a" or title eq "b") and title eq "c"', ['c']],
    ['(title eq "a" and tag eq "b") or (title eq "c" and tag eq "d")', ['a', 'c']],
    ['(title eq "a" or tag eq "b") and (title eq "c" or title eq "d")', ['c', 'd']],
  ])('returns the required titles of %s', (text, titles) => {
    const required = requiredTitles(parse(text))
    expect(required && [...required]).toEqual(titles)
  })

  it('returns titles one of which every match has', () => {
    let checked = 0
    fc.assert(
      fc.property(arbitraryFilter(text), targetLists, (filter, all) => {
        const titles = requiredTitles(parse(formatFilter(filter)))
        if (titles === undefined) return
        for (const { title } of findMatches(filter, new Set(all))) {
          expect(titles).toContain(title)
          checked++
        }
      }),
      { numRuns: propertyRuns() },
    )
    expect(checked).toBeGreaterThan(0)
  })
})

describe('createMatcher', () => {
  const long = 'x'.repeat(1000)
  it.each([
    ['64 short values', Array(64).fill('tag co "yy"').join(' or ')],
    ['a value of 1,000 characters', `tag co "y${long}" or tag co "z${long}"`],
  ])('lets the event loop take turns between searches for %s', async (_, text) => {
    const { service, caller, vaultId } = await createTestVault()
    const [item] = await service.listItems(caller, { vaultId })
    if (item === undefined) throw new Error('the vault is empty')
    let turns = 0
    const count = (): void => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const matches = createMatcher(parse(text), keepCase)
    expect(await matches({ ...item, tags: Array(8).fill('x'.repeat(65_536)) })).toBe(false)
    clearImmediate(timer)
    expect(turns).toBeGreaterThanOrEqual(8)
  })

  it('reads an attribute once, however often it is compared', async () => {
    let reads = 0
    const attribute = {
      operators: ['eq'],
      expectedValue: '',
      parse: () => undefined,
      read: (): string[] => {
        reads++
        return []
      },
    } as const
    const term = { op: 'eq', attribute, value: 'a' } as const
    expect(await createMatcher({ op: 'or', terms: [term, term] }, keepCase)({ id: '' })).toBe(false)
    expect(reads).toBe(1)
  })
})

function parse(text: string) {
  const words = { fold: keepCase, maxWordLength: Number.POSITIVE_INFINITY }
  const expression = parseExpression(text, itemAttributes, words)
  if (expression === undefined) throw new Error('the filter is blank')
  return expression
}
