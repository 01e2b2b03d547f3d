import { describe, expect, it } from 'vitest'
import {
  entropyOf,
  generateValue,
  type PasswordSpec,
  passwordSpec,
} from '../../../src/core/items/generate-value.js'
import type { RandomBytes } from '../../../src/core/runtime/random.js'
import { GenerationError } from '../../../src/errors.js'
import type { CharacterSet, Recipe } from '../../../src/schema/field.js'
import { keystream } from '../../support/stores/keystream.js'

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const digits = '0123456789'
const symbols = '!@.-_*'
const withoutDigits: CharacterSet[] = ['LETTERS', 'SYMBOLS']
const withoutSymbols: CharacterSet[] = ['LETTERS', 'DIGITS']

function spaceOf(recipe: Recipe): PasswordSpec {
  const space = passwordSpec(recipe)
  if (space === undefined) throw new Error('the recipe leaves too little')
  return space
}

/** A source that answers these bytes and nothing else, and how often it was asked for how many. */
function scripted(...answers: readonly (readonly number[])[]): {
  source: RandomBytes
  asked: number[]
} {
  const asked: number[] = []
  const source = (length: number): Uint8Array =>
    Uint8Array.from(answers[asked.push(length) - 1] ?? [])
  return { source, asked }
}

describe('the characters of a recipe', () => {
  it.each<[Recipe, string[]]>([
    [{}, [letters, digits, symbols]],
    [{ characterSets: [] }, [letters, digits, symbols]],
    [{ characterSets: ['LETTERS'] }, [letters]],
    [{ characterSets: ['DIGITS'] }, [digits]],
    [{ characterSets: ['SYMBOLS'] }, [symbols]],
    [{ characterSets: ['SYMBOLS', 'DIGITS'] }, [symbols, digits]],
    [{ excludeCharacters: '' }, [letters, digits, symbols]],
    [{ excludeCharacters: 'A0!A0!z' }, [letters.slice(1, -1), digits.slice(1), symbols.slice(1)]],
    [{ excludeCharacters: digits }, [letters, symbols]],
    [{ excludeCharacters: digits + symbols + letters.slice(2) }, ['AB']],
    [{ excludeCharacters: digits.slice(1) + symbols.slice(1) + letters }, ['0', '!']],
    [{ excludeCharacters: 'é\u{1f600}\u{1d400}-\u0301' }, [letters, digits, '!@._*']],
    [
      { excludeCharacters: '[a-z]\\d.' },
      [letters.replace('a', '').replace('z', '').replace('d', ''), digits, '!@_*'],
    ],
  ])('are for %j exactly those that are not excluded', (recipe, sets) => {
    expect(passwordSpec(recipe)).toEqual({ sets, length: 32 })
  })

  it.each<Recipe>([
    { excludeCharacters: letters + digits + symbols },
    { excludeCharacters: letters.slice(1) + digits + symbols },
    { characterSets: ['DIGITS'], excludeCharacters: '123456789' },
    { characterSets: ['SYMBOLS'], excludeCharacters: symbols },
  ])('are too few for %j', (recipe) => {
    expect(passwordSpec(recipe)).toBeUndefined()
  })

  it.each([1, 2, 32, 64])('make a value of the length %i that is asked for', (length) => {
    const space = spaceOf({ length })
    expect(space.length).toBe(length)
    expect(generateValue(space, keystream('length'))).toHaveLength(length)
  })
})

describe('the entropy of a recipe', () => {
  it.each<[Recipe, number]>([
    [{ length: 1 }, 6.0874628413],
    [{ length: 2 }, 12.1749256825],
    [{ length: 3 }, 14.1922928145],
    [{ length: 4 }, 21.2797556557],
    [{ length: 8 }, 47.2225844049],
    [{ length: 16 }, 96.8994010825],
    [{ length: 20 }, 121.4372280457],
    [{}, 194.7126098839],
    [{ length: 64 }, 389.5936562838],
    [{ characterSets: withoutSymbols }, 190.5290876081],
    [{ characterSets: withoutDigits }, 187.4109015799],
    [{ characterSets: ['DIGITS', 'SYMBOLS'] }, 127.999999576],
    [{ characterSets: ['LETTERS'] }, 182.4140709805],
    [{ characterSets: ['DIGITS'] }, 106.3016990364],
    [{ characterSets: ['SYMBOLS'] }, 82.7188000231],
    [{ characterSets: withoutSymbols, length: 55, excludeCharacters: 'abc1' }, 322.1888193878],
    [{ excludeCharacters: '0O1Il5S' }, 189.7002070567],
  ])('of %j is %d bits', (recipe, bits) => {
    expect(Math.abs(entropyOf(spaceOf(recipe)) - bits)).toBeLessThan(1e-9)
  })
})

describe('a generated value', () => {
  it('takes each byte for one character, and asks for no more than it needs', () => {
    const { source, asked } = scripted([0, 1, 51, 52], [255, 61], [62])
    expect(generateValue(spaceOf({ characterSets: withoutSymbols, length: 4 }), source)).toBe(
      'ABz0',
    )
    expect(asked).toEqual([4])
    const again = scripted([0, 248, 9], [255], [52])
    expect(generateValue(spaceOf({ characterSets: withoutSymbols, length: 3 }), again.source)).toBe(
      'AJ0',
    )
    expect(again.asked).toEqual([3, 1, 1])
  })

  it('is drawn again as a whole when a set is missing', () => {
    const { source, asked } = scripted([0, 1], [0, 2], [0, 52])
    expect(generateValue(spaceOf({ characterSets: withoutSymbols, length: 2 }), source)).toBe('A0')
    expect(asked).toEqual([2, 2, 2])
  })

  it('need not hold each set when it is shorter than the sets are many', () => {
    expect(generateValue(spaceOf({ length: 2 }), scripted([0, 1]).source)).toBe('AB')
    expect(generateValue(spaceOf({ length: 1 }), scripted([52]).source)).toBe('0')
  })

  it('comes from as many byte sequences as any other', () => {
    const space = { sets: ['abc', '01'], length: 2 }
    const stats = new Map<string, number>()
    for (let pair = 0; pair < 65_536; pair++) {
      const { source, asked } = scripted([pair >> 8, pair & 255])
      // Sequences that would need a third byte end here: the source has no more.
      const value = orUndefined(() =>
        generateValue(space, (length) => (asked.length > 0 ? end() : source(length))),
      )
      if (value !== undefined) stats.set(value, (stats.get(value) ?? 0) + 1)
    }
    const values = ['a0', 'a1', 'b0', 'b1', 'c0', 'c1', '0a', '1a', '0b', '1b', '0c', '1c']
    expect(Object.fromEntries(stats)).toEqual(
      Object.fromEntries(values.map((value) => [value, 51 * 51])),
    )
  })
})

describe('a value of a space of which few strings would do', () => {
  const rare = spaceOf({ length: 3, excludeCharacters: '123456789@.-_*' })

  it.each<[string, PasswordSpec, number]>([
    ['one rare set', { sets: ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN', '!'], length: 2 }, 80],
    ['two rare sets', { sets: ['abcdefgh', '0', '!'], length: 3 }, 48],
    ['a rare set before the others', { sets: ['!', 'abcdefghijklm', '0123456'], length: 3 }, 546],
  ])(
    'comes from exactly as many draws as any other: %s',
    (_, space, strings) => {
      const size = space.sets.join('').length
      const stats = new Map<string, number>()
      // Every outcome of every draw, in the order of the draws; the last ones are of 1, 2 or 3 cases.
      const rareSets = space.sets.filter((set) => set.length === 1).length
      const places = Array.from({ length: rareSets }, (_each, index) => space.length - index)
      const cases = [
        ...Array.from({ length: space.length }, () => size),
        ...places.flatMap((left) => [left, 1]),
        ...places.map(() => 6),
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
          bytes.length === 0 ? end() : Uint8Array.from(bytes.splice(0, length))
        const value = orUndefined(() => generateValue(space, source))
        if (value !== undefined) stats.set(value, (stats.get(value) ?? 0) + 1)
      }
      expect(stats.size).toBe(strings)
      expect(new Set(stats.values()).size).toBe(1)
    },
    60_000,
  )

  it('takes a few draws and not hundreds', () => {
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
    ['nothing', () => new Uint8Array(0)],
    ['more than it was asked for', () => new Uint8Array(100)],
  ])('ends, with a value or an error, after %s', (_what, source) => {
    const value = orError(() => generateValue(rare, source))
    if (!(value instanceof GenerationError)) expect(value).toMatch(/^(?=.*0)(?=.*!)(?=.*[a-z])/i)
  })
})

describe('a source of randomness that is stuck', () => {
  const full = spaceOf({})

  it.each([
    ['zeroes', (length: number) => new Uint8Array(length)],
    ['ones', (length: number) => new Uint8Array(length).fill(255)],
    ['nothing', () => new Uint8Array(0)],
    ['letters only', (length: number) => new Uint8Array(length).fill(7)],
    ['symbols only', (length: number) => new Uint8Array(length).fill(203)],
    ['more than it was asked for', () => new Uint8Array(100)],
  ])('ends in an error after %s', (_what, source) => {
    expect(() => generateValue(full, source)).toThrow(GenerationError)
  })

  it('is given up after 100,000 strings', () => {
    let drawn = 0
    const source = (length: number): Uint8Array =>
      new Uint8Array(length).fill(++drawn > 99_999 ? 52 : 0, 1)
    const space = spaceOf({ characterSets: withoutSymbols, length: 2 })
    expect(generateValue(space, source)).toBe('A0')
    expect(drawn).toBe(100_000)
    drawn = -1
    expect(() => generateValue(space, source)).toThrow(GenerationError)
    expect(drawn).toBe(99_999)
  })

  it('is given up after 1,000 answers without a character for one string', () => {
    let asked = 0
    const source = (): Uint8Array => Uint8Array.of(++asked === 1000 ? 9 : 255)
    const space = spaceOf({ characterSets: ['DIGITS'], length: 1 })
    expect(generateValue(space, source)).toBe('9')
    asked = 1000
    expect(() => generateValue(space, source)).toThrow(GenerationError)
    expect(asked).toBe(2000)
  })
})

function orUndefined(work: () => string): string | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function orError(work: () => string): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

function end(): never {
  throw new RangeError('no more bytes')
}
