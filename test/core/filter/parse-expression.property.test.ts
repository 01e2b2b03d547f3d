import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Filter, formatFilter, InvalidInputError } from '../../../src/index.js'
import { arbitraryFilter, arbitraryFilterValue, pieces } from '../../support/arbitraries/filters.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { codePoint } from '../../support/arbitraries/strings.js'
import { parseFilter } from '../../support/service/contract-filter.js'

const numRuns = propertyRuns()

describe('parseExpression', () => {
  it('returns the filter that formatFilter formatted, whatever its values are', () => {
    fc.assert(
      fc.property(arbitraryFilter(), (filter) => {
        expect(parseFilter(formatFilter(filter))).toStrictEqual(filter)
      }),
      { numRuns },
    )
  })

  it('returns the title that a client put between quotes, unchanged', () => {
    /** Values that are ambiguous without escapes, and values with significant backslashes. */
    const ambiguous = /"[\s)]*(?:and|or)[\s(]+\w+\s+(?:eq|co)\s*"|\\"(?!$)|(?<!\\)(?:\\\\)+"$/i
    fc.assert(
      fc.property(arbitraryFilterValue(), (value) => {
        fc.pre(!ambiguous.test(`${value}"`))
        const filter = { op: 'eq', attribute: 'title', value }
        expect(parseFilter(`title eq "${value}"`)).toStrictEqual(filter)
        expect(parseFilter(`(title eq "${value}")`)).toStrictEqual(filter)
      }),
      { numRuns },
    )
  })

  it('returns a filter or throws a fixed message for any text', () => {
    const messages = new Set([
      'filter has an invalid format',
      'filter must have at most 32 nested parentheses',
      'filter must compare title, name or tag',
      'filter must compare with eq or co',
      'filter must have at most 64 comparisons',
      'filter must have values in double quotes',
      'filter must close the quotes of every value',
    ])
    const garbage = fc.oneof(
      fc.string({
        unit: fc.constantFrom(...pieces, 'title eq "', '" ', 'tag co "'),
        maxLength: 40,
      }),
      fc.string({ unit: codePoint }),
      fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
    )
    let parsed = 0
    fc.assert(
      fc.property(garbage, (text) => {
        try {
          const filter = parseFilter(text)
          if (filter !== undefined) parsed++
          if (filter !== undefined)
            expect(parseFilter(formatFilter(filter as Filter))).toStrictEqual(filter)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidInputError)
          expect(messages).toContain((error as InvalidInputError).message)
        }
      }),
      { numRuns },
    )
    expect(parsed).toBeGreaterThan(0)
  })
})
