import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldAsciiCase, foldCase } from '../../src/base/fold-case.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { codePoint } from '../support/arbitraries/strings.js'

/** Every code point as a text, without surrogates. */
const codePoints = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))

describe('foldCase', () => {
  it.each([
    ['GitHub', 'GITHUB'],
    ['Straße', 'STRASSE'],
    ['ẞ', 'ß'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδοσ', 'οδος'],
    ['ΟΔΟΣ Α', 'οδος α'],
    ['İ', 'i\u0307'],
    ['ı', 'I'],
    ['\u212a', 'k'],
    ['Ж', 'ж'],
    ['ǅ', 'ǆ'],
    ['ﬃ', 'FFI'],
    ['𐐀', '𐐨'],
    ['É', 'é'],
    ['E\u0301', 'e\u0301'],
  ])('equates %s and %s', (left, right) => {
    expect(foldCase(left)).toBe(foldCase(right))
  })

  it('keeps differences that are not of case', () => {
    expect(foldCase('é')).not.toBe(foldCase('e'))
    expect(foldCase('é')).not.toBe(foldCase('e\u0301'))
    expect(foldCase('a ')).not.toBe(foldCase('a'))
  })

  it.each(['\ud801', '\udc00', 'A\udc00', '\ud801A', '\ud801😀'])(
    'keeps the lone surrogate of %j',
    (text) => {
      expect(foldCase(text)).toBe(text.replace('A', 'a'))
    },
  )

  it('converts each character independently of its neighbours, to at most three', () => {
    const text = fc.string({ unit: fc.oneof(codePoint, fc.constantFrom('Σ', 'ς', 'İ', 'ﬃ', '.')) })
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(foldCase(left + right)).toBe(foldCase(left) + foldCase(right))
        expect(foldCase(left).length).toBeLessThanOrEqual(3 * left.length)
        expect(foldCase(left).length).toBeGreaterThanOrEqual(left.length)
        expect(foldCase(foldCase(left))).toBe(foldCase(left))
      }),
      { numRuns: propertyRuns() },
    )
  })

  it('converts every character in the same way in each runtime, whatever Unicode it has', () => {
    const text = codePoints.map(foldCase).join('\n')
    // Python 3.11, whose Unicode is 14, computes the same digest.
    expect(createHash('sha256').update(text).digest('hex')).toBe(
      'e8783ff9bfeac4b238e0956c1bd1997d4a6197087f3882b3376307cd508523d3',
    )
  })

  it('differs from a comparison in lower and upper case only for letters since Unicode 15', () => {
    const others = codePoints.filter((text) => {
      const compared = text.toLowerCase().toUpperCase()
      return foldCase(text) !== foldCase(compared)
    })
    // What the runtime knows of the letters that Unicode 16 and 17 have added, and the capital of ƛ.
    const added =
      /^[\u019b\u0264\u1c89\u1c8a\ua7cb-\ua7cf\ua7d2-\ua7d5\ua7da-\ua7dc\u{10d50}-\u{10d85}\u{16ea0}-\u{16ed3}]$/u
    expect(others.filter((text) => !added.test(text))).toEqual([])
  })

  it('folds 200,000 characters in linear time', () => {
    for (const text of ['A', 'ß', '漢', '\n', 'İ😀'].map((one) => one.repeat(200_000))) {
      const start = process.cpuUsage()
      foldCase(text)
      expect(process.cpuUsage(start).user).toBeLessThan(1_000_000)
    }
  })
})

describe('foldAsciiCase', () => {
  it('converts the letters A to Z and nothing else', () => {
    const changed = codePoints.filter((text) => foldAsciiCase(text) !== text)
    expect(changed.join('')).toBe('ABCDEFGHIJKLMNOPQRSTUVWXYZ')
    expect(foldAsciiCase('Straße 2 É')).toBe('straße 2 É')
  })
})
