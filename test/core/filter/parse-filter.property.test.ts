import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatFilter } from '../../../src/core/filter/format-filter.js'
import { parseFilter } from '../../../src/core/filter/parse-filter.js'
import { InvalidInputError } from '../../../src/index.js'
import { codePoint } from '../../support/arbitraries/code-points.js'
import { arbitraryFilter, arbitraryValue, pieces } from '../../support/arbitraries/filters.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const both = ['title', 'tag'] as const
const numRuns = propertyRuns()

describe('a filter', () => {
  it('is read as what was printed, whatever its values hold', () => {
    fc.assert(
      fc.property(arbitraryFilter(arbitraryValue), (filter) => {
        expect(parseFilter(formatFilter(filter), both)).toStrictEqual(filter)
      }),
      { numRuns },
    )
  })

  it('finds a title that a client has put between quotes as it is', () => {
    /** What only escapes could tell from the rest of a filter, and backslashes that count. */
    const ambiguous = /"[\s)]*(?:and|or)[\s(]+\w+\s+(?:eq|co)\s*"|\\"(?!$)|(?<!\\)(?:\\\\)+"$/i
    fc.assert(
      fc.property(arbitraryValue, (value) => {
        fc.pre(!ambiguous.test(`${value}"`))
        const filter = { op: 'eq', attribute: 'title', value }
        expect(parseFilter(`title eq "${value}"`, both)).toStrictEqual(filter)
        expect(parseFilter(`(title eq "${value}")`, both)).toStrictEqual(filter)
      }),
      { numRuns },
    )
  })

  it('is refused in fixed words or read, whatever it holds', () => {
    const sentences = new Set([
      'filter cannot be read',
      'filter must be at most 32 parentheses deep',
      'filter must compare title, name or tag',
      'filter must compare with eq or co',
      'filter must hold at most 64 comparisons',
      'filter must have values in double quotes',
      'filter must close every value',
    ])
    const garbage = fc.oneof(
      fc.string({
        unit: fc.constantFrom(...pieces, 'title eq "', '" ', 'tag co "'),
        maxLength: 40,
      }),
      fc.string({ unit: codePoint }),
      fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
    )
    let read = 0
    fc.assert(
      fc.property(garbage, (text) => {
        try {
          const filter = parseFilter(text, both)
          if (filter !== undefined) read++
          if (filter !== undefined)
            expect(parseFilter(formatFilter(filter), both)).toStrictEqual(filter)
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidInputError)
          expect(sentences).toContain((error as InvalidInputError).message)
        }
      }),
      { numRuns },
    )
    expect(read).toBeGreaterThan(0)
  })
})
