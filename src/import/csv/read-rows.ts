/** Reads the rows of a CSV file by the names of its columns. */

import { InvalidInputError } from '../../errors.js'
import { cleanText } from '../clean-text.js'
import type { Collector } from '../collector.js'
import { decodeText } from '../decode-text.js'
import type { ImportLimits } from '../limits.js'
import type { ReportLoss } from '../result.js'
import { parseCsv } from './parse-csv.js'

/** Every column is looked for in every row, so their number is limited. No program writes more. */
const maxColumns = 1000

/** A row of a CSV file. */
export interface Row {
  /** `rows/0` for the first one below the header. */
  readonly path: string
  /** Returns the cell of a column, cleaned; empty if the row or the file does not have it. */
  text(column: string, report: ReportLoss): string
}

/** The columns of a format. */
export interface Columns {
  /** Columns that the header must have. */
  readonly required: readonly string[]
  /** Columns that it can have. */
  readonly optional: readonly string[]
  /** Of these, the columns that are left out, with the reason. */
  readonly dropped?: Readonly<Record<string, string>>
}

/**
 * Returns the column names of a header in lower case. A file without a header has a secret in its
 * first row, so the names are compared but never shown.
 * @throws InvalidInputError if there are more than 1,000.
 */
export function readHeader(row: readonly string[]): readonly string[] {
  if (row.length > maxColumns)
    throw InvalidInputError.at('', `the CSV must have at most ${maxColumns} columns`)
  return row.map((name) => name.trim().toLowerCase())
}

/**
 * Returns the rows of a CSV file. Reports unknown columns, those that are left out, and cells
 * without a column.
 * @throws InvalidInputError if the text is not CSV, or its header lacks a column.
 */
export function readRows(
  bytes: Uint8Array,
  columns: Columns,
  { limits, collector }: { limits: ImportLimits; collector: Collector },
): readonly Row[] {
  const [first = [], ...rest] = parseCsv(decodeText(bytes, limits), limits.items + 1)
  const header = readHeader(first)
  const missing = columns.required.filter((name) => !header.includes(name))
  if (missing.length > 0)
    throw InvalidInputError.at('', `the header of the CSV has no column ${missing.join(', ')}`)
  reportColumns(header, rest, columns, collector.report)
  return rest.map((cells, index) => {
    const path = `rows/${index}`
    if (cells.slice(header.length).some((cell) => cell !== ''))
      collector.report(path, 'attribute', 'the row has more cells than the header')
    return {
      path,
      text: (column, report) =>
        cleanText(cells[header.indexOf(column)] ?? '', `${path}/${column}`, report),
    }
  })
}

function reportColumns(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { required, optional, dropped = {} }: Columns,
  report: ReportLoss,
): void {
  for (const [index, name] of header.entries()) {
    if (!rows.some((cells) => cells[index])) continue
    const isFirst = header.indexOf(name) === index
    const reason = Object.hasOwn(dropped, name) ? dropped[name] : undefined
    if (reason !== undefined) report(`columns/${index}`, 'attribute', reason)
    else if (!isFirst || !(required.includes(name) || optional.includes(name)))
      report(`columns/${index}`, 'attribute', 'the column is unknown')
  }
}
