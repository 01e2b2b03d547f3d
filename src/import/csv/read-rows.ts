/** Reads the rows of a CSV file by the names of its columns. */

import { InvalidInputError } from '../../index.js'
import type { Collector } from '../collector.js'
import type { ExportFile } from '../export-file.js'
import type { ReportLoss } from '../result.js'
import { cleanText } from '../text.js'

/** The maximum number of cells in a row. No program writes more. */
const maxColumns = 1000

const quote = 0x22
/** The number of characters of a quoted cell that are read at a time. */
const blockLength = 65_536

/** A row of a CSV file. */
export interface Row {
  /** `rows/0` for the first one below the header. */
  readonly path: string
  /**
   * Returns the cleaned cell of a column, or an empty string if the row or the file does not have
   * it.
   */
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
 * Returns the column names of a header in lower case. If a file has no header, its first row
 * contains a secret, so the names are compared but never shown.
 */
export function readHeader(row: readonly string[]): readonly string[] {
  return row.map((name) => name.trim().toLowerCase())
}

/**
 * Yields the rows of a CSV file, and keeps none of them. Reports unknown columns, those that are
 * left out, and cells without a column.
 * @throws InvalidInputError if the text is not CSV, exceeds a limit, or a column is missing in the
 * header.
 */
export function* readRows(
  file: ExportFile,
  columns: Columns,
  collector: Collector,
): Generator<Row> {
  const rows = parseCsv(file.text(), file.limits.items + 1)
  const header = readHeader(rows.next().value ?? [])
  const missing = columns.required.filter((name) => !header.includes(name))
  if (missing.length > 0)
    throw InvalidInputError.at('', `the header of the CSV has no column ${missing.join(', ')}`)
  const indices = new Map(header.map((name, index) => [name, index] as const).reverse())
  const used = new Set<number>()
  let count = 0
  for (const cells of rows) {
    const path = `rows/${count++}`
    for (const [index, cell] of cells.entries()) if (cell !== '') used.add(index)
    if (cells.slice(header.length).some((cell) => cell !== ''))
      collector.report(path, 'attribute', 'the row has more cells than the header')
    yield {
      path,
      text: (column, report) =>
        cleanText(cells[indices.get(column) ?? -1] ?? '', () => `${path}/${column}`, report),
    }
  }
  reportColumns(header, used, columns, collector.report)
}

/** Reports the columns with a value that are unknown, repeated or left out. */
function reportColumns(
  header: readonly string[],
  used: ReadonlySet<number>,
  { required, optional, dropped = {} }: Columns,
  report: ReportLoss,
): void {
  for (const [index, name] of header.entries()) {
    if (!used.has(index)) continue
    const isFirst = header.indexOf(name) === index
    const reason = Object.hasOwn(dropped, name) ? dropped[name] : undefined
    if (reason !== undefined) report(`columns/${index}`, 'attribute', reason)
    else if (!isFirst || !(required.includes(name) || optional.includes(name)))
      report(`columns/${index}`, 'attribute', 'the column is unknown')
  }
}

/**
 * Yields the rows of a text, in linear time. A line without any character is left out. A quote in
 * the middle of a cell without quotes is a character like any other, as browsers write it.
 * @throws InvalidInputError if a quoted cell does not end, or there are more than `maxRows` rows or
 * more than 1,000 cells in one of them.
 */
export function* parseCsv(text: string, maxRows: number): Generator<readonly string[], undefined> {
  let row: string[] = []
  let rowCount = 0
  let offset = 0
  while (offset < text.length) {
    const cell = text[offset] === '"' ? readQuoted(text, offset) : readPlain(text, offset)
    row.push(cell.value)
    if (row.length > maxColumns)
      throw InvalidInputError.at('', `the CSV has more than ${maxColumns} columns`)
    const separator = text[cell.end]
    offset = cell.end + (separator === '\r' && text[cell.end + 1] === '\n' ? 2 : 1)
    if (separator === ',') {
      // A line that ends in a comma at the end of the text has an empty last cell.
      if (offset === text.length) row.push('')
      else continue
    }
    if (row.length > 1 || row[0] !== '') {
      rowCount++
      if (rowCount > maxRows)
        throw InvalidInputError.at('', `the export has more than ${maxRows - 1} rows`)
      yield row
    }
    row = []
  }
  return undefined
}

interface Cell {
  readonly value: string
  /** The offset of the comma or line break after the cell, or the length of the text at its end. */
  readonly end: number
}

function readPlain(text: string, start: number): Cell {
  let end = start
  while (end < text.length && !isSeparator(text.charCodeAt(end))) end++
  return { value: text.slice(start, end), end }
}

/**
 * Reads a cell in quotes. Text after the closing quote is kept, so that no data is lost. Long cells
 * are read in blocks, because one piece for each pair of quotes would take twenty bytes a
 * character.
 */
function readQuoted(text: string, start: number): Cell {
  let value = ''
  let from = start + 1
  for (let offset = from; offset < text.length; offset++) {
    if (text.charCodeAt(offset) === quote) {
      if (text.charCodeAt(offset + 1) !== quote) {
        const rest = readPlain(text, offset + 1)
        return { value: value + unquote(text.slice(from, offset)) + rest.value, end: rest.end }
      }
      offset++
    }
    if (offset - from >= blockLength) {
      value += unquote(text.slice(from, offset + 1))
      from = offset + 1
    }
  }
  throw InvalidInputError.at('', 'a quoted cell of the CSV does not end')
}

/** `join` makes one flat string, and `replaceAll` would make a tree with a node for each match. */
function unquote(text: string): string {
  return text.split('""').join('"')
}

function isSeparator(code: number): boolean {
  return code === 0x2c || code === 0x0a || code === 0x0d
}

/**
 * Returns 16 hexadecimal digits for the parts that identify a row (FNV-1a, 64 bits). The id is not
 * secret and is shown to users, so a password must not be a part. The parts are hashed, because a
 * URL among them can contain one.
 */
export function rowId(...parts: readonly string[]): string {
  let [high, low] = [0xcbf29ce4, 0x84222325]
  for (const byte of new TextEncoder().encode(parts.join('\u001f'))) {
    // Times the prime 2^40 + 0x1b3, in halves of 32 bits: a BigInt takes twenty times as long.
    const mixed = (low ^ byte) >>> 0
    const product = mixed * 0x1b3
    high = (Math.imul(high, 0x1b3) + Math.floor(product / 2 ** 32) + (mixed << 8)) >>> 0
    low = product >>> 0
  }
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('')
}
