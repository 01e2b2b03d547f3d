/** Makes a value from a recipe, and counts out of how many it came. */

import { GenerationError } from '../errors.js'
import type { CharacterSet, Recipe } from '../schema/field.js'
import type { RandomBytes } from './random.js'

const characters: Readonly<Record<CharacterSet, string>> = {
  LETTERS: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  DIGITS: '0123456789',
  SYMBOLS: '!@.-_*',
}
const mostRedraws = 100_000
const mostBatches = 1000

/** What a value may consist of: sets without a common character, none of them empty, and a length of 1 to 64. */
export interface ValueSpace {
  readonly sets: readonly string[]
  readonly length: number
}

/** What the recipe leaves to draw from; undefined if that is fewer than two characters. */
export function valueSpace(recipe: Recipe): ValueSpace | undefined {
  const names = recipe.characterSets?.length
    ? recipe.characterSets
    : (Object.keys(characters) as CharacterSet[])
  const excluded = new Set(recipe.excludeCharacters)
  const sets = names
    .map((name) => [...characters[name]].filter((character) => !excluded.has(character)).join(''))
    .filter((set) => set !== '')
  return alphabetOf(sets).length < 2 ? undefined : { sets, length: recipe.length ?? 32 }
}

/**
 * A string of the space, each with the same probability, with at least one character of each set when the length
 * allows it: the whole string is drawn again until that holds, because repairing it would favour some strings.
 * @throws GenerationError if the random source never yields one.
 */
export function generateValue(space: ValueSpace, randomBytes: RandomBytes): string {
  const alphabet = alphabetOf(space.sets)
  for (let draws = 0; draws < mostRedraws; draws++) {
    const value = drawString(alphabet, space.length, randomBytes)
    if (requiredSets(space).every((set) => intersects(value, set))) return value
  }
  throw new GenerationError()
}

/** Bits: log2 of the number of strings that `generateValue` could have made, counted by inclusion and exclusion. */
export function entropyOf(space: ValueSpace): number {
  const all = alphabetOf(space.sets).length
  const count = subsets(requiredSets(space)).reduce((sum, subset) => {
    const strings = BigInt(all - alphabetOf(subset).length) ** BigInt(space.length)
    return subset.length % 2 === 0 ? sum + strings : sum - strings
  }, 0n)
  return Math.log2(Number(count))
}

function alphabetOf(sets: readonly string[]): string {
  return sets.join('')
}

function requiredSets({ sets, length }: ValueSpace): readonly string[] {
  return length >= sets.length ? sets : []
}

/** Bytes at or above the largest multiple of the alphabet's size are thrown away: kept, they would favour its start. */
function drawString(alphabet: string, length: number, randomBytes: RandomBytes): string {
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  for (let batches = 0; batches < mostBatches; batches++) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < limit) text += alphabet[byte % alphabet.length]
    }
    if (text.length === length) return text
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
