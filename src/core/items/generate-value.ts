/** Makes a value from a recipe, and counts out of how many it came. */

import { GenerationError } from '../../errors.js'
import type { CharacterSet, Recipe } from '../../schema/field.js'
import type { RandomBytes } from '../runtime/random.js'

const characters: Readonly<Record<CharacterSet, string>> = {
  LETTERS: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  DIGITS: '0123456789',
  SYMBOLS: '!@.-_*',
}
const maxAttempts = 100_000
const maxBatches = 1000

/** What a value may consist of: sets without a common character, none of them empty, and a length of 1 to 64. */
export interface PasswordSpec {
  readonly sets: readonly string[]
  readonly length: number
}

/** What the recipe leaves to draw from; undefined if that is fewer than two characters. */
export function passwordSpec(recipe: Recipe): PasswordSpec | undefined {
  const names = recipe.characterSets?.length
    ? recipe.characterSets
    : (Object.keys(characters) as CharacterSet[])
  const excluded = recipe.excludeCharacters ?? ''
  const sets = names
    .map((name) => [...characters[name]].filter((one) => !excluded.includes(one)).join(''))
    .filter((set) => set !== '')
  return alphabetOf(sets).length < 2 ? undefined : { sets, length: recipe.length ?? 32 }
}

/**
 * A string of the space, each with the same probability, with at least one character of each set when the length
 * allows it: the whole string is drawn again until that holds, because repairing it would favour some strings. Where
 * fewer than one string in 16 would do, places for the rare characters are drawn first.
 * @throws GenerationError if the random source never yields one.
 */
export function generateValue(space: PasswordSpec, randomBytes: RandomBytes): string {
  const alphabet = alphabetOf(space.sets)
  const required = requiredSets(space)
  const rare = isMostlyRefused(space)
    ? required.filter((set) => set.length * space.length < alphabet.length)
    : []
  for (let draws = 0; draws < maxAttempts; draws++) {
    const text = randomString(alphabet, space.length, randomBytes)
    const value = rare.length === 0 ? text : withEach(rare, text, randomBytes)
    if (value !== undefined && required.every((set) => intersects(value, set))) return value
  }
  throw new GenerationError()
}

/** Bits: log2 of the number of strings that `generateValue` could have made, counted by inclusion and exclusion. */
export function entropyOf(space: PasswordSpec): number {
  return Math.log2(countStrings(space))
}

function isMostlyRefused(space: PasswordSpec): boolean {
  return countStrings(space) * 16 < alphabetOf(space.sets).length ** space.length
}

function countStrings(space: PasswordSpec): number {
  const all = alphabetOf(space.sets).length
  const count = subsets(requiredSets(space)).reduce((sum, subset) => {
    const strings = BigInt(all - alphabetOf(subset).length) ** BigInt(space.length)
    return subset.length % 2 === 0 ? sum + strings : sum - strings
  }, 0n)
  return Number(count)
}

function alphabetOf(sets: readonly string[]): string {
  return sets.join('')
}

function requiredSets({ sets, length }: PasswordSpec): readonly string[] {
  return length >= sets.length ? sets : []
}

function randomString(alphabet: string, length: number, randomBytes: RandomBytes): string {
  let text = ''
  for (const index of drawIndices(alphabet.length, length, randomBytes)) text += alphabet[index]
  return text
}

/**
 * The text with a character of each of these sets, each at a place of its own, all drawn; or undefined. A string with
 * so many characters of a set can come out in so many ways, and so is returned in one of so many cases only.
 */
function withEach(
  sets: readonly string[],
  text: string,
  randomBytes: RandomBytes,
): string | undefined {
  const drawn = [...text]
  const places = [...drawn.keys()]
  for (const set of sets) {
    const [chosen = 0] = drawIndices(places.length, 1, randomBytes)
    const [ref = 0] = places.splice(chosen, 1)
    drawn[ref] = randomString(set, 1, randomBytes)
  }
  const isKept = sets.every((set) => {
    const ways = drawn.filter((character) => set.includes(character)).length
    return drawIndices(ways, 1, randomBytes)[0] === 0
  })
  return isKept ? drawn.join('') : undefined
}

/** Bytes at or above the largest multiple of `below` are thrown away: kept, they would favour small indices. */
function drawIndices(below: number, count: number, randomBytes: RandomBytes): readonly number[] {
  const limit = 256 - (256 % below)
  const indices: number[] = []
  for (let batches = 0; batches < maxBatches; batches++) {
    for (const byte of randomBytes(count - indices.length)) {
      if (byte < limit) indices.push(byte % below)
    }
    if (indices.length === count) return indices
  }
  throw new GenerationError()
}

function intersects(text: string, set: string): boolean {
  for (const character of text) if (set.includes(character)) return true
  return false
}

function subsets(sets: readonly string[]): readonly (readonly string[])[] {
  return sets.reduce<readonly (readonly string[])[]>(
    (found, set) => [...found, ...found.map((subset) => [...subset, set])],
    [[]],
  )
}
