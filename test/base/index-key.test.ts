import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldAsciiCase, foldCase } from '../../src/base/fold-case.js'
import { indexKeyOf } from '../../src/base/index-key.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'
import { codePoint } from '../support/arbitraries/strings.js'

/** Characters with which the case, the length or the cut of a title is special. */
const special = ['ß', 'ẞ', 'SS', 'İ', 'i\u0307', 'ı', 'Σ', 'ς', 'σ', '\u212a', 'k', 'K', 'ﬃ', 'FFI']
const pieces = [...special, 'ΐ', 'ŉ', '𐐀', '𐐨', '😀', 'e\u0301', '\ud83d', '\ude00', 'Xx', 'x']
const piece = fc.oneof(codePoint, fc.constantFrom(...pieces))
const title = fc.oneof(
  fc.string({ unit: piece }),
  fc
    .tuple(piece, fc.integer({ min: 40, max: 140 }), fc.string({ unit: piece }))
    .map(([one, count, end]) => one.repeat(count) + end),
)
/** Ways in which a text can change without becoming another one for a comparison without case. */
const conversions: readonly ((text: string) => string)[] = [
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => [...text].map((one) => one.toUpperCase()).join(''),
  (text) => text.replaceAll('k', '\u212a').replaceAll('ss', 'ß').replaceAll('σ', 'ς'),
  (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  (text) => text,
]

describe('indexKeyOf', () => {
  it.each([
    ['Example', 'example'],
    ['', ''],
    ['X'.repeat(128), 'x'.repeat(128)],
    ['x'.repeat(129), 'x'.repeat(128)],
    [`${'x'.repeat(126)}😀y`, `${'x'.repeat(126)}😀`],
    [`${'x'.repeat(127)}😀`, 'x'.repeat(127)],
    [`${'ß'.repeat(63)}x😀`, `${'s'.repeat(126)}x`],
    ['ß'.repeat(128), 's'.repeat(128)],
    [`${'ß'.repeat(127)}😀`, 's'.repeat(128)],
    [`${'x'.repeat(126)}ﬃ`, `${'x'.repeat(126)}ff`],
    ['ΟΔΟΣ', 'οδοσ'],
  ])(
    'returns at most the first 128 code units of %j in folded case, cut between characters',
    (text, indexKey) => {
      expect(indexKeyOf(text)).toBe(indexKey)
    },
  )

  it('returns equal keys for titles that are equal if case is ignored', () => {
    const twice = fc.tuple(title, fc.constantFrom(...conversions), fc.constantFrom(...conversions))
    let equal = 0
    fc.assert(
      fc.property(twice, ([text, toLeft, toRight]) => {
        const [left, right] = [toLeft(text), toRight(text)]
        for (const fold of [foldCase, foldAsciiCase]) {
          if (fold(left) !== fold(right)) continue
          equal++
          expect(indexKeyOf(left)).toBe(indexKeyOf(right))
        }
        // No title has a lone surrogate.
        if (!text.isWellFormed()) return
        const key = indexKeyOf(text)
        const cut = foldCase(text).slice(0, 128)
        expect([cut, cut.slice(0, -1)]).toContain(key)
        expect(key.isWellFormed()).toBe(true)
        expect(cut.isWellFormed()).toBe(key === cut)
        expect(indexKeyOf(key)).toBe(key)
      }),
      { numRuns: propertyRuns() },
    )
    expect(equal).toBeGreaterThan(0)
  })

  it('returns the keys of its folded characters for every character', () => {
    for (let code = 0; code < 0x11_0000; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue
      const text = String.fromCodePoint(code)
      if (indexKeyOf(text) !== foldCase(text)) expect.fail(`U+${code.toString(16)}`)
    }
  })
})
