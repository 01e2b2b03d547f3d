/** Medians, means, and tables that a person reads. */

export function median(numbers) {
  const sorted = [...numbers].sort((left, right) => left - right)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

export function geometricMean(numbers) {
  return Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)
}

/** The median of the quotients of each round: what slows a whole round down does not show. */
export function medianRatio(ours, theirs) {
  return median(ours.map((number, round) => number / theirs[round]))
}

/** Prints rows of text, the first row being the head; the first column is aligned left. */
export function printTable(title, rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => `${row[column]}`.length)))
  const line = (row) =>
    row
      .map((cell, column) =>
        column === 0 ? `${cell}`.padEnd(widths[column]) : `${cell}`.padStart(widths[column]),
      )
      .join('  ')
  console.log(`\n${title}\n`)
  console.log(line(rows[0]))
  console.log(widths.map((width) => '-'.repeat(width)).join('  '))
  for (const row of rows.slice(1)) console.log(line(row))
}

export const fixed = (number, digits = 2) => number.toFixed(digits)

/** `met` or `MISSED`, for a goal that is an upper bound. */
export const verdict = (number, goal) => (number <= goal ? 'met' : 'MISSED')
