/** Tables of results, printed and written into `docs/performance.md`. */

import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'

/** A table of a part. */
export interface Table {
  /** The name of its place in the page, such as `http`. */
  readonly id: string
  /** The kind of figures, with their unit. */
  readonly title: string
  /** The first row is the head. */
  readonly rows: readonly (readonly string[])[]
}

const page = new URL('../../docs/performance.md', import.meta.url)

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
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  console.log(['', title, '', format(head), rule, ...rows.slice(1).map(format)].join('\n'))
}

/** Writes every table that has a place in the page. */
export async function writeTables(tables: readonly Table[]): Promise<void> {
  await writeFile(page, tables.reduce(replaceTable, await readFile(page, 'utf8')))
}

/**
 * Replaces the text between `<!-- bench:ID -->` and `<!-- /bench:ID -->`; returns the page unchanged
 * without these markers.
 */
function replaceTable(text: string, table: Table): string {
  const [start, end] = [`<!-- bench:${table.id} -->`, `<!-- /bench:${table.id} -->`]
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from < 0 || to < from) return text
  const date = new Date().toISOString().slice(0, 10)
  const origin = `*Run of ${date}, Node ${process.versions.node}, ${availableParallelism()} cores.*`
  const written = `${start}\n\n${formatMarkdown(table)}\n\n${origin}\n\n`
  return text.slice(0, from) + written + text.slice(to)
}

/** Returns the table in Markdown. */
function formatMarkdown({ title, rows }: Table): string {
  const [head = [], ...body] = rows
  const format = (row: readonly string[]): string =>
    `| ${head.map((_, column) => row[column] ?? '').join(' | ')} |`.replaceAll('  ', ' ')
  const rule = `|${head.map((_, column) => (column === 0 ? '---' : '--:')).join('|')}|`
  return [`${title}:`, '', format(head), rule, ...body.map(format)].join('\n')
}

/** Returns the number with a fixed number of decimals; a dash if it is not finite. */
export function fixed(number: number, digits = 2): string {
  return Number.isFinite(number) ? number.toFixed(digits) : '–'
}

/** Returns the smallest and the largest number, such as `1.08 to 1.31`. */
export function formatRange(numbers: readonly number[]): string {
  return `${fixed(Math.min(...numbers))} to ${fixed(Math.max(...numbers))}`
}
