import { describe, expect, it } from 'vitest'
import {
  generateValue,
  type PasswordSpec,
  passwordSpec,
} from '../../../src/core/items/generate-value.js'
import type { RandomBytes } from '../../../src/core/runtime/random.js'
import { GenerationError } from '../../../src/errors.js'
import type { CharacterSet, Recipe } from '../../../src/schema/field.js'
import { runAll } from '../../support/run-all.js'
import { keystream } from '../../support/stores/keystream.js'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const symbols = '!@.-_*'
const withoutSymbols: CharacterSet[] = ['LETTERS', 'DIGITS']

function specOf(recipe: Recipe): PasswordSpec {
  const spec = passwordSpec(recipe)
  if (spec === undefined) throw new Error('the recipe leaves too few characters')
  return spec
}

/** A source that returns these bytes and then nothing, and the lengths it was called with. */
function scriptedSource(...results: readonly (readonly number[])[]): {
  source: RandomBytes
  lengths: number[]
} {
  const lengths: number[] = []
  const source = (length: number): Uint8Array =>
    Uint8Array.from(results[lengths.push(length) - 1] ?? [])
  return { source, lengths }
}

describe('passwordSpec', () => {
  it.each<[Recipe, string[]]>([
    [{}, [letters, digits, symbols]],
    [{ characterSets: ['SYMBOLS', 'DIGITS'] }, [symbols, digits]],
    [{ excludeCharacters: 'A0!A0!z' }, [letters.slice(1, -1), digits.slice(1), symbols.slice(1)]],
    [{ excludeCharacters: digits }, [letters, symbols]],
    [{ excludeCharacters: digits + symbols + letters.slice(2) }, ['AB']],
    [{ excludeCharacters: digits.slice(1) + symbols.slice(1) + letters }, ['0', '!']],
    [{ excludeCharacters: 'é\u{1f600}\u{1d400}-\u0301' }, [letters, digits, '!@._*']],
    [
      { excludeCharacters: '[a-z]\\d.' },
      [letters.replace('a', '').replace('z', '').replace('d', ''), digits, '!@_*'],
    ],
  ])('returns for %j the characters that are not excluded', (recipe, sets) => {
    expect(passwordSpec(recipe)).toEqual({ sets, length: 32 })
  })

  it.each<Recipe>([
    { excludeCharacters: letters.slice(1) + digits + symbols },
    { characterSets: ['SYMBOLS'], excludeCharacters: symbols },
  ])('returns undefined for %j, which leaves too few characters', (recipe) => {
    expect(passwordSpec(recipe)).toBeUndefined()
  })
})

describe('generateValue', () => {
  it('draws one byte per character and no more than needed', () => {
    const { source, lengths } = scriptedSource([0, 1, 51, 52], [255, 61], [62])
    expect(generateValue(specOf({ characterSets: withoutSymbols, length: 4 }), source)).toBe('ABz0')
    expect(lengths).toEqual([4])
    const again = scriptedSource([0, 248, 9], [255], [52])
    expect(generateValue(specOf({ characterSets: withoutSymbols, length: 3 }), again.source)).toBe(
      'AJ0',
    )
    expect(again.lengths).toEqual([3, 1, 1])
  })

  it('draws the whole value again when a set is missing', () => {
    const { source, lengths } = scriptedSource([0, 1], [0, 2], [0, 52])
    expect(generateValue(specOf({ characterSets: withoutSymbols, length: 2 }), source)).toBe('A0')
    expect(lengths).toEqual([2, 2, 2])
  })

  it('draws fewer than seven times on average, whatever the sizes of the sets are', () => {
    const source = keystream('draws')
    for (const a of [1, 2, 3, 5, 10, 20, 40, 52])
      for (const b of [0, 1, 2, 5, 10])
        for (const c of [0, 1, 2, 6])
          for (const length of [3, 4, 5, 8, 11, 16, 24, 36, 50, 64]) {
            const sets = [letters.slice(0, a), digits.slice(0, b), symbols.slice(0, c)]
            const spec = { sets: sets.filter((set) => set !== ''), length }
            if (spec.sets.join('').length < 2) continue
            let drawn = 0
            const counting: RandomBytes = (count) => {
              // Only the characters of a whole string are drawn together.
              if (count === length) drawn++
              return source(count)
            }
            for (let value = 0; value < 40; value++) generateValue(spec, counting)
            expect(drawn / 40).toBeLessThan(7)
          }
  })

  it('can omit a set when there are more sets than characters', () => {
    expect(generateValue(specOf({ length: 2 }), scriptedSource([0, 1]).source)).toBe('AB')
    expect(generateValue(specOf({ length: 1 }), scriptedSource([52]).source)).toBe('0')
  })

  it('returns each value for the same number of byte sequences', () => {
    const spec = { sets: ['abc', '01'], length: 2 }
    const stats = new Map<string, number>()
    for (let pair = 0; pair < 65_536; pair++) {
      const { source, lengths } = scriptedSource([pair >> 8, pair & 255])
      // A sequence that needs a third byte ends with an error, because the source has only two.
      const value = valueUnlessExhausted(() =>
        generateValue(spec, (length) => (lengths.length > 0 ? throwExhausted() : source(length))),
      )
      if (value !== undefined) stats.set(value, (stats.get(value) ?? 0) + 1)
    }
    const values = ['a0', 'a1', 'b0', 'b1', 'c0', 'c1', '0a', '1a', '0b', '1b', '0c', '1c']
    expect(Object.fromEntries(stats)).toEqual(
      Object.fromEntries(values.map((value) => [value, 51 * 51])),
    )
  })

  describe('with a spec of which few strings are valid', () => {
    const rare = specOf({ length: 3, excludeCharacters: '123456789@.-_*' })

    const counted: readonly [string, PasswordSpec, number][] = [
      ['one rare set', { sets: ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN', '!'], length: 2 }, 80],
      ['two rare sets', { sets: ['abcdefgh', '0', '!'], length: 3 }, 48],
      ['a rare set before the others', { sets: ['!', 'abcdefghijklm', '0123456'], length: 3 }, 546],
    ]
    // The others have millions of draws.
    it.each(runAll ? counted : counted.slice(0, 1))(
      'returns each value for the same number of draws: %s',
      (_, spec, strings) => {
        const size = spec.sets.join('').length
        const stats = new Map<string, number>()
        // All outcomes of all draws, in the order of the draws. The last ones have 1, 2 or 3 cases.
        const rareSets = spec.sets.filter((set) => set.length === 1).length
        const indices = Array.from({ length: rareSets }, (_each, index) => spec.length - index)
        const cases = [
          ...Array.from({ length: spec.length }, () => size),
          ...indices.flatMap((left) => [left, 1]),
          ...indices.map(() => 6),
        ]
        const draws = cases.reduce((product, factor) => product * factor, 1)
        for (let draw = 0; draw < draws; draw++) {
          let left = draw
          const bytes = cases.map((factor) => {
            const byte = left % factor
            left = (left - byte) / factor
            return byte
          })
          const source = (length: number): Uint8Array =>
            bytes.length === 0 ? throwExhausted() : Uint8Array.from(bytes.splice(0, length))
          const value = valueUnlessExhausted(() => generateValue(spec, source))
          if (value !== undefined) stats.set(value, (stats.get(value) ?? 0) + 1)
        }
        expect(stats.size).toBe(strings)
        expect(new Set(stats.values()).size).toBe(1)
      },
    )

    it('needs few draws', () => {
      const inner = keystream('few')
      let drawn = 0
      const source: RandomBytes = (length) => {
        drawn += length
        return inner(length)
      }
      for (let count = 0; count < 1000; count++) generateValue(rare, source)
      expect(drawn).toBeLessThan(15_000)
    })

    it.each([
      ['zeroes', (length: number) => new Uint8Array(length)],
      ['ones', (length: number) => new Uint8Array(length).fill(255)],
      ['no bytes', () => new Uint8Array(0)],
      ['more bytes than requested', () => new Uint8Array(100)],
    ])('returns a value or throws a GenerationError with a source of %s', (_case, source) => {
      const value = valueOrError(() => generateValue(rare, source))
      if (!(value instanceof GenerationError)) expect(value).toMatch(/^(?=.*0)(?=.*!)(?=.*[a-z])/i)
    })
  })

  describe('with a source that is stuck', () => {
    const defaultSpec = specOf({})

    it.each([
      ['zeroes', (length: number) => new Uint8Array(length)],
      ['ones', (length: number) => new Uint8Array(length).fill(255)],
      ['no bytes', () => new Uint8Array(0)],
      ['letters only', (length: number) => new Uint8Array(length).fill(7)],
      ['symbols only', (length: number) => new Uint8Array(length).fill(203)],
      ['more bytes than requested', () => new Uint8Array(100)],
    ])('throws a GenerationError with a source of %s', (_case, source) => {
      expect(() => generateValue(defaultSpec, source)).toThrow(GenerationError)
    })

    it('throws after 100,000 invalid strings', () => {
      let drawn = 0
      const source = (length: number): Uint8Array =>
        new Uint8Array(length).fill(++drawn > 99_999 ? 52 : 0, 1)
      const spec = specOf({ characterSets: withoutSymbols, length: 2 })
      expect(generateValue(spec, source)).toBe('A0')
      expect(drawn).toBe(100_000)
      drawn = -1
      expect(() => generateValue(spec, source)).toThrow(GenerationError)
      expect(drawn).toBe(99_999)
    })

    it('throws after 1,000 batches without a character', () => {
      let calls = 0
      const source = (): Uint8Array => Uint8Array.of(++calls === 1000 ? 9 : 255)
      const spec = specOf({ characterSets: ['DIGITS'], length: 1 })
      expect(generateValue(spec, source)).toBe('9')
      calls = 1000
      expect(() => generateValue(spec, source)).toThrow(GenerationError)
      expect(calls).toBe(2000)
    })
  })
})

function valueUnlessExhausted(work: () => string): string | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function valueOrError(work: () => string): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

function throwExhausted(): never {
  throw new RangeError('no more bytes')
}
