/** Percentiles of numbers. */

/** The smallest of the numbers that `share` percent of them do not exceed; 0 for an empty list. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.max(0, Math.ceil((sorted.length * share) / 100) - 1)] ?? 0
}
