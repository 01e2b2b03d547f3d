/** Tables of results, and the text of their cells. */

/** A table of a part. */
export interface Table {
  /** The name of its place in a page, such as `http-ratios`. */
  readonly id: string
  readonly title: string
  /** The first row is the head. */
  readonly rows: readonly (readonly string[])[]
}

/** Prints a table. The first column is aligned left, the others right. */
export function printTable({ title, rows }: Table): void {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const format = (row: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = row[column] ?? ''
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
      .trimEnd()
  console.log(`\n${title}\n`)
  console.log(format(head))
  console.log(widths.map((width) => '-'.repeat(width)).join('  '))
  for (const row of rows.slice(1)) console.log(format(row))
}

/** The same table in Markdown. */
export function formatMarkdown({ title, rows }: Table): string {
  const [head = [], ...body] = rows
  const format = (row: readonly string[]): string =>
    `| ${head.map((_, column) => row[column] ?? '').join(' | ')} |`.replaceAll('  ', ' ')
  const rule = `|${head.map((_, column) => (column === 0 ? '---' : '--:')).join('|')}|`
  return [`${title}:`, '', format(head), rule, ...body.map(format)].join('\n')
}

/** The number with a fixed number of decimals; a dash if it is not finite. */
export const fixed = (number: number, digits = 2): string =>
  Number.isFinite(number) ? number.toFixed(digits) : '–'

/** The smallest and the largest number, such as `1.08 to 1.31`. */
export const formatRange = (numbers: readonly number[]): string =>
  `${fixed(Math.min(...numbers))} to ${fixed(Math.max(...numbers))}`

/** `met` or `MISSED`, for a goal that is an upper bound. */
export const verdict = (number: number, goal: number): string => (number <= goal ? 'met' : 'MISSED')

/** `met` or `MISSED`, for a goal that is a lower bound. */
export const lowerVerdict = (number: number, goal: number): string =>
  number >= goal ? 'met' : 'MISSED'
