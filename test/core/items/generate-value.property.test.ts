import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  entropyOf,
  generateValue,
  type PasswordSpec,
  passwordSpec,
} from '../../../src/core/items/generate-value.js'
import type { RandomBytes } from '../../../src/core/runtime/random.js'
import type { CharacterSet, Recipe } from '../../../src/schema/field.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import { codePoint } from '../../support/arbitraries/strings.js'
import {
  compositionOf,
  compositionProbabilities,
  countStrings,
  excess,
  tally,
} from '../../support/arbitraries/value-statistics.js'
import { runAll } from '../../support/run-all.js'
import { keystream } from '../../support/stores/keystream.js'

const characters = {
  LETTERS: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  DIGITS: '0123456789',
  SYMBOLS: '!@.-_*',
} as const
const names: CharacterSet[] = ['LETTERS', 'DIGITS', 'SYMBOLS']

const excludedCharacters = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Object.values(characters).join('')), maxLength: 80 }),
  fc.string({ unit: codePoint, maxLength: 20 }),
)
const recipes: fc.Arbitrary<Recipe> = fc.record({
  characterSets: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 }),
  excludeCharacters: excludedCharacters,
  length: fc.integer({ min: 1, max: 64 }),
})

function allStrings({ sets, length }: PasswordSpec): string[] {
  let strings = ['']
  for (let count = 0; count < length; count++) {
    strings = strings.flatMap((start) => [...sets.join('')].map((character) => start + character))
  }
  const needsEverySet = length >= sets.length
  return strings.filter(
    (text) => !needsEverySet || sets.every((set) => [...set].some((one) => text.includes(one))),
  )
}

function sample(
  spec: PasswordSpec,
  size: number,
  generate = generateValue,
  seed = 'sample',
): string[] {
  const source: RandomBytes = keystream(seed)
  return Array.from({ length: size }, () => generate(spec, source))
}

function specOf(recipe: Recipe): PasswordSpec {
  const spec = passwordSpec(recipe)
  if (spec === undefined) throw new Error('the recipe leaves too few characters')
  return spec
}

describe('generateValue', () => {
  it('returns values with the length and the characters of the recipe', () => {
    const source = keystream('recipes')
    const law = fc.property(recipes, (recipe) => {
      const { characterSets = [], excludeCharacters = '', length = 32 } = recipe
      const chosen = characterSets.length === 0 ? names : characterSets
      const left = chosen
        .map((name) => [...characters[name]].filter((one) => ![...excludeCharacters].includes(one)))
        .filter((set) => set.length > 0)
      const spec = passwordSpec(recipe)
      if (spec === undefined) return left.flat().length < 2
      const value = [...generateValue(spec, source)]
      return (
        left.flat().length >= 2 &&
        value.length === length &&
        value.every((one) => left.flat().includes(one)) &&
        (length < left.length || left.every((set) => set.some((one) => value.includes(one))))
      )
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })

  it.each<PasswordSpec>([
    { sets: ['ab', '0', '!'], length: 4 },
    { sets: ['abc', '01'], length: 3 },
    { sets: ['abcd', '01', '!'], length: 2 },
    { sets: ['abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN', '!'], length: 2 },
    { sets: ['!', 'abcdefghijklmnopqrstuvwxyz', '0'], length: 3 },
    { sets: ['abcdefghijklm', '0123456', '!'], length: 3 },
    { sets: ['abcdefghijklmnopqrst', '01', '!'], length: 3 },
    { sets: ['abcdefghijklm', '0', '!'], length: 4 },
  ])('returns each string of the spec equally often: %j', (spec) => {
    const strings = allStrings(spec)
    const size = (runAll ? 200 : 20) * strings.length
    const stats = tally(sample(spec, size))
    expect([...stats.keys()].sort()).toEqual(strings.toSorted())
    const uniform = new Map(strings.map((text) => [text, 1 / strings.length]))
    expect(excess(stats, uniform, size)).toBeLessThan(1)
  })

  describe('composition', () => {
    const spec = specOf({})
    const probabilities = compositionProbabilities(spec)
    const size = 20_000
    const excessOf = (generate: typeof generateValue): number =>
      excess(
        tally(sample(spec, size, generate).map((value) => compositionOf(value, spec))),
        probabilities,
        size,
      )

    it('has the distribution that counting all strings predicts', () => {
      const sum = [...probabilities.values()].reduce((total, probability) => total + probability, 0)
      expect(sum).toBeCloseTo(1, 12)
      expect(excessOf(generateValue)).toBeLessThan(1)
    })

    it.each([10, 14])(
      'has that distribution when few strings are valid, at length %i',
      (length) => {
        const rare = specOf({ length, excludeCharacters: '123456789@.-_*' })
        const compositions = sample(rare, size).map((value) => compositionOf(value, rare))
        expect(excess(tally(compositions), compositionProbabilities(rare), size)).toBeLessThan(1)
      },
    )

    it('detects the broken variant, which fills up and shuffles', () => {
      expect(excessOf(fillAndShuffle)).toBeGreaterThan(10)
    })

    it('differs from that of the broken variant by a total variation of 0.217', () => {
      const filled = new Map<string, number>()
      for (const [composition] of probabilities) {
        filled.set(composition, filledProbability(composition.split(',').map(Number), spec))
      }
      const distances = [...probabilities].map(([key, probability]) =>
        Math.abs(probability - (filled.get(key) ?? 0)),
      )
      expect(distances.reduce((sum, distance) => sum + distance, 0) / 2).toBeCloseTo(0.217, 3)
    })
  })
})

describe('entropyOf', () => {
  it('returns the entropy of the valid strings, counted one set after the other', () => {
    const law = fc.property(recipes, (recipe) => {
      const spec = passwordSpec(recipe)
      if (spec === undefined) return true
      const { sets, length } = spec
      const needed = sets.map(() => length >= sets.length)
      const count = countStrings(
        sets.map((set) => set.length),
        needed,
        length,
      )
      return Math.abs(entropyOf(spec) - Math.log2(Number(count))) < 1e-9
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns(100) })).not.toThrow()
  })
})

/** The probability of the composition when one character of each set is filled up with any. */
function filledProbability(composition: readonly number[], { sets }: PasswordSpec): number {
  const all = sets.join('').length
  let logarithm = 0
  let left = 0
  for (const [index, count] of composition.entries()) {
    for (let free = 1; free < count; free++) {
      left++
      logarithm += Math.log(((sets[index] ?? '').length / all) * (left / free))
    }
  }
  return Math.exp(logarithm)
}

/**
 * A broken variant of the generator: it takes one character of each set, fills up with any, and
 * shuffles. Its values look right, but some are more frequent than others.
 */
function fillAndShuffle({ sets, length }: PasswordSpec, randomBytes: RandomBytes): string {
  const all = sets.join('')
  const pick = (text: string): string => text[below(text.length, randomBytes)] ?? ''
  const chosen = [
    ...sets.map(pick),
    ...Array.from({ length: length - sets.length }, () => pick(all)),
  ]
  for (let ref = length - 1; ref > 0; ref--) {
    const other = below(ref + 1, randomBytes)
    ;[chosen[ref], chosen[other]] = [chosen[other] ?? '', chosen[ref] ?? '']
  }
  return chosen.join('')
}

/** Returns a number from 0 to `bound - 1`, each equally likely. */
function below(bound: number, randomBytes: RandomBytes): number {
  for (;;) {
    const byte = randomBytes(1)[0] ?? 0
    if (byte < 256 - (256 % bound)) return byte % bound
  }
}
