/** Medians and means. */

/** The median; NaN for an empty list. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The geometric mean. */
export function geometricMean(numbers: readonly number[]): number {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}

/** The median of each round's quotient, which hides what slows down a whole round. */
export function medianRatio(measured: readonly number[], baseline: readonly number[]): number {
  return median(measured.map((number, round) => number / (baseline[round] ?? Number.NaN)))
}
