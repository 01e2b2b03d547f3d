/** Where so many of 100 numbers lie. */

/** The smallest of the numbers that `share` of 100 do not exceed; 0 if there are none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil((sorted.length * share) / 100) - 1)] ?? 0
}
