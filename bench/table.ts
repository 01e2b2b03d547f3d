/** Medians, means and tables. */

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

/** Prints rows of text. The first row is the head, the first column is aligned left. */
export function printTable(title: string, rows: readonly (readonly string[])[]): void {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const format = (row: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? ''
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
  console.log(`\n${title}\n`)
  console.log(format(head))
  console.log(widths.map((width) => '-'.repeat(width)).join('  '))
  for (const row of rows.slice(1)) console.log(format(row))
}

/** The number with a fixed number of decimals. */
export const fixed = (number: number, digits = 2): string => number.toFixed(digits)

/** `met` or `MISSED`, for a goal that is an upper bound. */
export const verdict = (number: number, goal: number): string => (number <= goal ? 'met' : 'MISSED')

/** `met` or `MISSED`, for a goal that is a lower bound. */
export const lowerVerdict = (number: number, goal: number): string =>
  number >= goal ? 'met' : 'MISSED'
