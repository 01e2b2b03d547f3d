/** Exact counts and probabilities of generated values, and the deviation of a sample from them. */

import type { PasswordSpec } from '../../../src/core/items/generate-value.js'

/**
 * Counts the strings of this length that use only these sets, and each `needed` set at least once.
 */
export function countStrings(
  sizes: readonly number[],
  needed: readonly boolean[],
  length: number,
): bigint {
  const [size, ...others] = sizes
  if (size === undefined) return length === 0 ? 1n : 0n
  if (others.length === 0) return needed[0] && length === 0 ? 0n : BigInt(size) ** BigInt(length)
  let count = 0n
  for (let used = needed[0] ? 1 : 0; used <= length; used++) {
    const ways = choose(length, used) * BigInt(size) ** BigInt(used)
    count += ways * countStrings(others, needed.slice(1), length - used)
  }
  return count
}

/**
 * Returns the probability of each composition, if every set must occur. A composition is the number
 * of characters of each set, as `20,8,4`.
 */
export function compositionProbabilities({ sets, length }: PasswordSpec): Map<string, number> {
  const all = countStrings(
    sets.map((set) => set.length),
    sets.map(() => true),
    length,
  )
  const found = new Map<string, number>()
  const visit = (stats: readonly number[], left: number, strings: bigint): void => {
    const set = sets[stats.length]
    if (set === undefined) {
      if (left === 0) found.set(stats.join(), Number((strings * 10n ** 18n) / all) / 1e18)
      return
    }
    for (let used = 1; used <= left; used++) {
      visit(
        [...stats, used],
        left - used,
        strings * choose(left, used) * BigInt(set.length) ** BigInt(used),
      )
    }
  }
  visit([], length, 1n)
  return found
}

/** Returns the composition of a value, as `20,8,4`. */
export function compositionOf(value: string, { sets }: PasswordSpec): string {
  return sets.map((set) => [...value].filter((character) => set.includes(character)).length).join()
}

/** Counts the outcomes. */
export function tally(outcomes: Iterable<string>): Map<string, number> {
  const stats = new Map<string, number>()
  for (const outcome of outcomes) stats.set(outcome, (stats.get(outcome) ?? 0) + 1)
  return stats
}

/**
 * Returns Pearson's chi-square of the sample, divided by the bound that a fair sample exceeds once
 * in ten million times (Wilson and Hilferty's approximation). At most 1 for a fair sample. Outcomes
 * with an expected count below 10 are combined.
 */
export function excess(
  stats: Map<string, number>,
  probabilities: Map<string, number>,
  size: number,
): number {
  const cells = [...probabilities].map(([outcome, probability]) => ({
    observed: stats.get(outcome) ?? 0,
    expected: probability * size,
  }))
  const rare = { observed: size, expected: size }
  const common = cells.filter(({ expected }) => expected >= 10)
  for (const { observed, expected } of common) {
    rare.observed -= observed
    rare.expected -= expected
  }
  const tested = rare.expected >= 10 ? [...common, rare] : common
  const chiSquare = tested.reduce(
    (sum, { observed, expected }) => sum + (observed - expected) ** 2 / expected,
    0,
  )
  const freedom = tested.length - 1
  const bound = freedom * (1 - 2 / (9 * freedom) + 5.2 * Math.sqrt(2 / (9 * freedom))) ** 3
  return chiSquare / bound
}

const triangle: bigint[][] = []

/** Returns the number of combinations, from Pascal’s triangle. */
function choose(from: number, taken: number): bigint {
  for (let row = triangle.length; row <= from; row++) {
    const above = triangle[row - 1] ?? []
    triangle.push(
      Array.from(
        { length: row + 1 },
        (_, index) => (above[index - 1] ?? 0n) + (above[index] ?? 0n),
      ),
    )
    if (row === 0) triangle[0] = [1n]
  }
  return triangle[from]?.[taken] ?? 0n
}
