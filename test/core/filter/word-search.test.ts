import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWordSearch } from '../../../src/core/filter/word-search.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'

const texts = (unit: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(fc.string({ unit, maxLength }), { maxLength: 6 })
const twoCharacters = fc.constantFrom('a', 'b')
const anyCharacter = fc.constantFrom(
  'a',
  'b',
  'c',
  'ÿ',
  'ā',
  '\u4e61',
  '😀',
  '\ud83d',
  '\uffff',
  '\0',
)

describe('createWordSearch', () => {
  it.each([
    ['two characters', twoCharacters],
    ['characters of one and two bytes', anyCharacter],
  ])('returns the words that String.includes finds in texts of %s', (_, unit) => {
    fc.assert(
      fc.property(texts(unit, 6), texts(unit, 30), (words, list) => {
        const expected = words.filter((word) => list.some((text) => text.includes(word)))
        expect(createWordSearch(words)(list)).toEqual(new Set(expected))
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('returns the empty word for any text, and no words when there are no texts', () => {
    expect(createWordSearch([''])([''])).toEqual(new Set(['']))
    expect(createWordSearch(['', 'a'])([])).toEqual(new Set())
  })

  it('returns only the words of the last texts when it is called again', () => {
    const search = createWordSearch(['aba', 'ba', 'bab'])
    expect(search(['aba'])).toEqual(new Set(['aba', 'ba']))
    expect(search(['aa', 'bb'])).toEqual(new Set())
  })
})
