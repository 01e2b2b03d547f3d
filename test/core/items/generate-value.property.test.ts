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
import { codePoint } from '../../support/arbitraries/code-points.js'
import { fillAndShuffle } from '../../support/arbitraries/fill-and-shuffle.js'
import { propertyRuns } from '../../support/arbitraries/property-runs.js'
import {
  characterProbabilities,
  compositionOf,
  compositionProbabilities,
  countStrings,
  excess,
  tally,
} from '../../support/arbitraries/value-statistics.js'
import { keystream } from '../../support/stores/keystream.js'

const characters = {
  LETTERS: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  DIGITS: '0123456789',
  SYMBOLS: '!@.-_*',
} as const
const names: CharacterSet[] = ['LETTERS', 'DIGITS', 'SYMBOLS']

const excluded = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Object.values(characters).join('')), maxLength: 80 }),
  fc.string({ unit: codePoint, maxLength: 20 }),
)
const recipes: fc.Arbitrary<Recipe> = fc.record({
  characterSets: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 3 }),
  excludeCharacters: excluded,
  length: fc.integer({ min: 1, max: 64 }),
})

/** Small spaces: up to three sets of up to three characters each, of which all strings can be looked at. */
const smallSpaces: fc.Arbitrary<PasswordSpec> = fc
  .tuple(
    fc.constantFrom('a', 'ab', 'abc'),
    fc.constantFrom('', '0', '01'),
    fc.constantFrom('', '!', '!@'),
  )
  .map((sets) => sets.filter((set) => set !== ''))
  .chain((sets) => fc.integer({ min: 1, max: 5 }).map((length) => ({ sets, length })))
  .filter(({ sets }) => sets.join('').length > 1)

function allStrings({ sets, length }: PasswordSpec): string[] {
  let strings = ['']
  for (let ref = 0; ref < length; ref++) {
    strings = strings.flatMap((start) => [...sets.join('')].map((character) => start + character))
  }
  const mustHoldAll = length >= sets.length
  return strings.filter(
    (text) => !mustHoldAll || sets.every((set) => [...set].some((one) => text.includes(one))),
  )
}

function sample(
  space: PasswordSpec,
  size: number,
  generate = generateValue,
  seed = 'sample',
): string[] {
  const source: RandomBytes = keystream(seed)
  return Array.from({ length: size }, () => generate(space, source))
}

function spaceOf(recipe: Recipe): PasswordSpec {
  const space = passwordSpec(recipe)
  if (space === undefined) throw new Error('the recipe leaves too little')
  return space
}

describe('every recipe', () => {
  it('makes values of its length, without an excluded character, with one of each set where there is room', () => {
    const source = keystream('recipes')
    const law = fc.property(recipes, (recipe) => {
      const { characterSets = [], excludeCharacters = '', length = 32 } = recipe
      const chosen = characterSets.length === 0 ? names : characterSets
      const left = chosen
        .map((name) => [...characters[name]].filter((one) => ![...excludeCharacters].includes(one)))
        .filter((set) => set.length > 0)
      const space = passwordSpec(recipe)
      if (space === undefined) return left.flat().length < 2
      const value = [...generateValue(space, source)]
      return (
        left.flat().length >= 2 &&
        value.length === length &&
        value.every((one) => left.flat().includes(one)) &&
        (length < left.length || left.every((set) => set.some((one) => value.includes(one))))
      )
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns() })).not.toThrow()
  })

  it('has the entropy of its strings, counted one set after the other', () => {
    const law = fc.property(recipes, (recipe) => {
      const space = passwordSpec(recipe)
      if (space === undefined) return true
      const { sets, length } = space
      const needed = sets.map(() => length >= sets.length)
      const count = countStrings(
        sets.map((set) => set.length),
        needed,
        length,
      )
      return Math.abs(entropyOf(space) - Math.log2(Number(count))) < 1e-9
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns(1000) })).not.toThrow()
  })
})

describe('every small space', () => {
  it('has the entropy of the strings in it, all of them written down', () => {
    const law = fc.property(smallSpaces, (space) => {
      return Math.abs(entropyOf(space) - Math.log2(allStrings(space).length)) < 1e-12
    })
    expect(() => fc.assert(law, { numRuns: propertyRuns(500) })).not.toThrow()
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
  ])(
    'yields each of its strings equally often: %j',
    (space) => {
      const strings = allStrings(space)
      const size = propertyRuns(200) * strings.length
      const stats = tally(sample(space, size))
      expect([...stats.keys()].sort()).toEqual(strings.toSorted())
      const fair = new Map(strings.map((text) => [text, 1 / strings.length]))
      expect(excess(stats, fair, size)).toBeLessThan(1)
    },
    60_000,
  )
})

describe('a million generated characters', () => {
  it.each<[Recipe, number]>([
    [{ length: 4 }, 50_000],
    [{ length: 20 }, 20_000],
    [{ characterSets: ['DIGITS', 'SYMBOLS'], length: 5 }, 20_000],
    [{ length: 32, excludeCharacters: '0O1Il5S' }, 9375],
    [{ length: 3, excludeCharacters: '123456789@.-_*' }, 20_000],
    [{ length: 10, excludeCharacters: '123456789@.-_*' }, 20_000],
    [{ length: 14, excludeCharacters: '123456789@.-_*' }, 20_000],
  ])('are distributed at each position as they must be: %j', (recipe, fullSize) => {
    const size = propertyRuns(fullSize)
    const space = spaceOf(recipe)
    const values = sample(space, size)
    const probabilities = characterProbabilities(space)
    const worst = Array.from({ length: space.length }, (_, position) =>
      excess(tally(values.map((value) => value[position] ?? '')), probabilities, size),
    )
    expect(Math.max(...worst)).toBeLessThan(1)
  })
})

describe('the composition of generated values', () => {
  const space = spaceOf({})
  const probabilities = compositionProbabilities(space)
  const size = 20_000
  const excessOf = (generate: typeof generateValue): number =>
    excess(
      tally(sample(space, size, generate).map((value) => compositionOf(value, space))),
      probabilities,
      size,
    )

  it('is what the count of all strings says', () => {
    const sum = [...probabilities.values()].reduce((total, probability) => total + probability, 0)
    expect(sum).toBeCloseTo(1, 12)
    expect(excessOf(generateValue)).toBeLessThan(1)
  })

  it.each([10, 14])('is that also where few strings would do, at length %i', (length) => {
    const rare = spaceOf({ length, excludeCharacters: '123456789@.-_*' })
    const compositions = sample(rare, size).map((value) => compositionOf(value, rare))
    expect(excess(tally(compositions), compositionProbabilities(rare), size)).toBeLessThan(1)
  })

  it('is another for values that are filled up and shuffled, which this finds out', () => {
    expect(excessOf(fillAndShuffle)).toBeGreaterThan(10)
  })

  it('differs there by a total variation of 0.217', () => {
    const one = { sets: space.sets, length: space.length }
    const filled = new Map<string, number>()
    for (const [composition] of probabilities) {
      filled.set(composition, filledProbability(composition.split(',').map(Number), one))
    }
    const distances = [...probabilities].map(([key, probability]) =>
      Math.abs(probability - (filled.get(key) ?? 0)),
    )
    expect(distances.reduce((sum, distance) => sum + distance, 0) / 2).toBeCloseTo(0.217, 3)
  })
})

/** The probability that one character of each set and the rest of any make this composition. */
function filledProbability(stats: readonly number[], { sets }: PasswordSpec): number {
  const all = sets.join('').length
  let logarithm = 0
  let left = 0
  for (const [index, count] of stats.entries()) {
    for (let free = 1; free < count; free++) {
      left++
      logarithm += Math.log(((sets[index] ?? '').length / all) * (left / free))
    }
  }
  return Math.exp(logarithm)
}
