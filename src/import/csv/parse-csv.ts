/** Parses CSV (RFC 4180): quotes, line breaks inside of them, CRLF and LF. */

import { InvalidInputError } from '../../errors.js'

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
