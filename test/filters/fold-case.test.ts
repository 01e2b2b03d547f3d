import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldCase } from '../../src/filters/syntax.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { codePoint } from '../support/arbitraries/strings.js'

describe('foldCase', () => {
  it.each([
    ['GitHub', 'GITHUB'],
    ['Straße', 'STRASSE'],
    ['ẞ', 'ß'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'οδος'],
    ['\u212a', 'k'],
    ['Ж', 'ж'],
    ['𐐀', '𐐨'],
  ])('equates %s and %s', (left, right) => {
    expect(foldCase(left)).toBe(foldCase(right))
  })

  it('keeps differences that are not of case', () => {
    expect(foldCase('é')).not.toBe(foldCase('e'))
    expect(foldCase('é')).not.toBe(foldCase('e\u0301'))
  })

  it('converts each character independently of its neighbours, to at most three', () => {
    const text = fc.string({ unit: fc.oneof(codePoint, fc.constantFrom('Σ', 'ς', 'İ', 'ﬃ', '.')) })
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(foldCase(left + right)).toBe(foldCase(left) + foldCase(right))
        expect(foldCase(left).length).toBeLessThanOrEqual(3 * left.length)
        expect(foldCase(foldCase(left))).toBe(foldCase(left))
      }),
      { numRuns: propertyRuns() },
    )
  })
})
