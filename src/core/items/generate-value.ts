/** Generates a value from a recipe, and computes its entropy. */

import { generationError } from '../../base/fixed-errors.js'
import type { CharacterSet, Recipe } from '../../schema/field.js'
import type { RandomBytes } from '../runtime/random.js'

const characters: Readonly<Record<CharacterSet, string>> = {
  LETTERS: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  DIGITS: '0123456789',
  SYMBOLS: '!@.-_*',
}
/** The number of draws after which a value counts as impossible. */
const maxAttempts = 100_000
/** The number of requests for random bytes in one draw. */
const maxBatches = 1000

/**
 * The values that a recipe allows. The sets are not empty and share no character. The length is 1
 * to 64.
 */
export interface PasswordSpec {
  readonly sets: readonly string[]
  readonly length: number
}

/** Returns the spec of a recipe, or undefined if it leaves fewer than two characters. */
export function passwordSpec(recipe: Recipe): PasswordSpec | undefined {
  const names = recipe.characterSets?.length
    ? recipe.characterSets
    : (Object.keys(characters) as CharacterSet[])
  const excluded = recipe.excludeCharacters ?? ''
  const sets = names
    .map((name) => [...characters[name]].filter((one) => !excluded.includes(one)).join(''))
    .filter((set) => set !== '')
  return joinSets(sets).length < 2 ? undefined : { sets, length: recipe.length ?? 32 }
}

/**
 * Returns a random string that matches the spec. Every such string is equally likely. If it is long
 * enough, it has at least one character of each set. A string that does not is drawn again from
 * scratch, because repairing it would favor some strings. If fewer than one string in four has all
 * sets, positions for the rare sets are drawn first.
 * @throws GenerationError if the random source never yields such a string.
 */
export function generateValue(spec: PasswordSpec, randomBytes: RandomBytes): string {
  const alphabet = joinSets(spec.sets)
  const required = requiredSets(spec)
  const rare = isMostlyRejected(spec)
    ? required.filter((set) => set.length * spec.length < alphabet.length)
    : []
  for (let draws = 0; draws < maxAttempts; draws++) {
    const text = randomString(alphabet, spec.length, randomBytes)
    const value = rare.length === 0 ? text : withEach(rare, text, randomBytes)
    if (value !== undefined && required.every((set) => intersects(value, set))) return value
  }
  throw generationError()
}

/**
 * Returns the entropy in bits: log2 of the number of strings that `generateValue` can return.
 * Counts them by inclusion and exclusion.
 */
export function entropyOf(spec: PasswordSpec): number {
  const all = joinSets(spec.sets).length
  const count = subsets(requiredSets(spec)).reduce((sum, subset) => {
    const strings = BigInt(all - joinSets(subset).length) ** BigInt(spec.length)
    return subset.length % 2 === 0 ? sum + strings : sum - strings
  }, 0n)
  return Math.log2(Number(count))
}

/** Both ways of drawing are exact, so rounding does not matter here. */
function isMostlyRejected(spec: PasswordSpec): boolean {
  const all = joinSets(spec.sets).length
  const share = subsets(requiredSets(spec)).reduce((sum, subset) => {
    const strings = (1 - joinSets(subset).length / all) ** spec.length
    return subset.length % 2 === 0 ? sum + strings : sum - strings
  }, 0)
  return share < 1 / 4
}

function joinSets(sets: readonly string[]): string {
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
 * Puts a random character of each set at its own random position. A string with n characters of a
 * set can be made in n ways, so it is returned only with probability 1/n. Otherwise returns
 * undefined.
 */
function withEach(
  sets: readonly string[],
  text: string,
  randomBytes: RandomBytes,
): string | undefined {
  const drawn = [...text]
  const positions = [...drawn.keys()]
  for (const set of sets) {
    const [chosen = 0] = drawIndices(positions.length, 1, randomBytes)
    const [position = 0] = positions.splice(chosen, 1)
    drawn[position] = randomString(set, 1, randomBytes)
  }
  const isKept = sets.every((set) => {
    const ways = drawn.filter((character) => set.includes(character)).length
    return drawIndices(ways, 1, randomBytes)[0] === 0
  })
  return isKept ? drawn.join('') : undefined
}

/**
 * Draws indices smaller than `below`. Bytes at or above the largest multiple of `below` are
 * discarded, because they would favor small indices.
 */
function drawIndices(below: number, count: number, randomBytes: RandomBytes): readonly number[] {
  const limit = 256 - (256 % below)
  const indices: number[] = []
  for (let batches = 0; batches < maxBatches; batches++) {
    for (const byte of randomBytes(count - indices.length)) {
      if (byte < limit) indices.push(byte % below)
    }
    if (indices.length === count) return indices
  }
  throw generationError()
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
