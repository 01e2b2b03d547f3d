import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { searchWords } from '../../../src/core/filter/search-words.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const texts = (unit: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(fc.string({ unit, maxLength }), { maxLength: 6 })
const few = fc.constantFrom('a', 'b')
const any = fc.constantFrom('a', 'b', 'c', 'ÿ', 'ā', '\u4e61', '😀', '\ud83d', '\uffff', '\0')

describe('searchWords', () => {
  it.each([
    ['two characters', few],
    ['characters of one and two bytes', any],
  ])('finds the words that String.includes finds, in texts of %s', (_, unit) => {
    fc.assert(
      fc.property(texts(unit, 6), texts(unit, 30), (words, where) => {
        const expected = words.filter((word) => where.some((text) => text.includes(word)))
        expect(searchWords(words)(where)).toEqual(new Set(expected))
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('finds the empty word in every text, and nothing where there are no texts', () => {
    expect(searchWords([''])([''])).toEqual(new Set(['']))
    expect(searchWords(['', 'a'])([])).toEqual(new Set())
  })

  it('forgets what it has found when it searches other texts', () => {
    const search = searchWords(['aba', 'ba', 'bab'])
    expect(search(['aba'])).toEqual(new Set(['aba', 'ba']))
    expect(search(['aa', 'bb'])).toEqual(new Set())
  })
})
