/** Reads the rows of a CSV file by the names of its columns. */

import { InvalidInputError } from '../../errors.js'
import type { Collector } from '../collector.js'
import type { ExportFile } from '../export-file.js'
import type { ReportLoss } from '../result.js'
import { cleanText } from '../text.js'

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
export function readRows(file: ExportFile, columns: Columns, collector: Collector): readonly Row[] {
  const [first = [], ...rest] = parseCsv(file.text(), file.limits.items + 1)
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
        cleanText(cells[header.indexOf(column)] ?? '', () => `${path}/${column}`, report),
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

/**
 * Returns the rows of a text, in linear time. A line without any character is left out. A quote in
 * the middle of a cell without quotes is a character like any other, as browsers write it.
 * @throws InvalidInputError if a quoted cell does not end, or there are more than `maxRows` rows.
 */
export function parseCsv(text: string, maxRows: number): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  let offset = 0
  while (offset < text.length) {
    const cell = text[offset] === '"' ? readQuoted(text, offset) : readPlain(text, offset)
    row.push(cell.value)
    const separator = text[cell.end]
    offset = cell.end + (separator === '\r' && text[cell.end + 1] === '\n' ? 2 : 1)
    if (separator === ',') {
      // A line that ends in a comma at the end of the text has an empty last cell.
      if (offset === text.length) row.push('')
      else continue
    }
    if (row.length > 1 || row[0] !== '') rows.push(row)
    if (rows.length > maxRows)
      throw InvalidInputError.at('', `the export must have at most ${maxRows - 1} rows`)
    row = []
  }
  return rows
}

interface Cell {
  readonly value: string
  /** The offset of the comma or line break after the cell; the length of the text at its end. */
  readonly end: number
}

function readPlain(text: string, start: number): Cell {
  let end = start
  while (end < text.length && !isSeparator(text.charCodeAt(end))) end++
  return { value: text.slice(start, end), end }
}

/** Reads a cell in quotes. What follows its last quote is kept, as it was not meant to be lost. */
function readQuoted(text: string, start: number): Cell {
  let value = ''
  let from = start + 1
  for (;;) {
    const quote = text.indexOf('"', from)
    if (quote < 0) throw InvalidInputError.at('', 'a quoted cell of the CSV does not end')
    value += text.slice(from, quote)
    if (text[quote + 1] !== '"') {
      const rest = readPlain(text, quote + 1)
      return { value: value + rest.value, end: rest.end }
    }
    value += '"'
    from = quote + 2
  }
}

function isSeparator(code: number): boolean {
  return code === 0x2c || code === 0x0a || code === 0x0d
}

const prime = 0x100000001b3n
const mask = 0xffffffffffffffffn

/**
 * Returns 16 hexadecimal digits for the parts that identify a row (FNV-1a, 64 bits). The id is not
 * secret and is shown to users, so the parts must not contain a password; a URL can contain one,
 * which is why the parts themselves are not the id.
 */
export function rowId(...parts: readonly string[]): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(parts.join('\u001f')))
    hash = ((hash ^ BigInt(byte)) * prime) & mask
  return hash.toString(16).padStart(16, '0')
}
