/** The characters that a recipe leaves. */

import type { CharacterSet, Recipe } from 'cofferkit'

const characters: Readonly<Record<CharacterSet, string>> = {
  LETTERS: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  DIGITS: '0123456789',
  SYMBOLS: '!@.-_*',
}

/** A character set without the excluded characters. */
export interface RemainingSet {
  readonly name: CharacterSet
  /** The number of its characters: 1 or more. */
  readonly count: number
}

/** Returns the sets of a recipe that are not empty. */
export function remainingSets(recipe: Recipe): readonly RemainingSet[] {
  const { characterSets = [], excludeCharacters = '' } = recipe
  const names = Object.keys(characters) as CharacterSet[]
  return names
    .filter((name) => characterSets.length === 0 || characterSets.includes(name))
    .map((name) => ({
      name,
      count: [...characters[name]].filter((one) => !excludeCharacters.includes(one)).length,
    }))
    .filter(({ count }) => count > 0)
}
