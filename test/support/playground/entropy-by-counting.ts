/** Computes the entropy of a recipe in another way than the library. */

import type { CharacterSet, Recipe } from '../../../src/index.js'

const alphabets: Readonly<Record<CharacterSet, string>> = {
  LETTERS: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  DIGITS: '0123456789',
  SYMBOLS: '!@.-_*',
}

/**
 * Returns the bits of a recipe. The strings are counted character by character, for each
 * combination of the sets that have occurred so far. The library uses inclusion and exclusion.
 */
export function entropyByCounting(recipe: Recipe): number {
  const { length = 32, characterSets = [], excludeCharacters = '' } = recipe
  const names =
    characterSets.length > 0 ? characterSets : (Object.keys(alphabets) as CharacterSet[])
  const sizes = names
    .map((name) => [...alphabets[name]].filter((one) => !excludeCharacters.includes(one)).length)
    .filter((size) => size > 0)
  const all = 2 ** sizes.length - 1
  let counts = new Map([[0, 1n]])
  for (let position = 0; position < length; position++) {
    const next = new Map<number, bigint>()
    for (const [seen, count] of counts)
      for (const [index, size] of sizes.entries()) {
        const now = seen | (1 << index)
        next.set(now, (next.get(now) ?? 0n) + count * BigInt(size))
      }
    counts = next
  }
  const isLongEnough = length >= sizes.length
  const strings = [...counts]
    .filter(([seen]) => !isLongEnough || seen === all)
    .reduce((sum, [, count]) => sum + count, 0n)
  return Math.log2(Number(strings))
}
