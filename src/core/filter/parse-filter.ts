/**
 * Reads a filter as clients spell it: `title eq "x" and (tag eq "a" or name co "b")`.
 *
 * Clients put titles between the quotes as they are. So a quote ends the value only where a filter can go on or end:
 * at the end of the text, or before `and` or `or` and another comparison, each perhaps behind closing parentheses. Any
 * other quote is part of the value. Backslashes are themselves but for those right before a quote, where they are read
 * as on a Windows command line: two of them are one, and one that is left over makes the quote part of the value. When
 * nothing else ends the last value, its last quote does, and the backslashes before it are themselves.
 */

import { InvalidInputError } from '../../errors.js'
import type { Filter, FilterAttribute, FilterCondition } from './filter.js'

const maxConditions = 64
const maxDepth = 32

/** What may stand next. Each is tried at one place and takes the blanks behind it along. */
const opening = /\(\s*/y
const closing = /\)\s*/y
const word = /[\w.]+\s*/y
const quote = /"/y
const connectives = { and: /and(?=[\s(])\s*/iy, or: /or(?=[\s(])\s*/iy } as const

/**
 * A quote that can end a value, and the blanks behind it. Any attribute and operator of RFC 7644 goes on, so that those
 * which are not known here are refused and not taken for a part of the value. It looks no further than the next quote.
 */
const ending =
  /"(?=[\s)]*(?:$|(?:and|or)(?=[\s(])[\s(]*[\w.]+\s+(?:eq|ne|co|sw|ew|gt|ge|lt|le)\s*"))\s*/iy

const attributes: ReadonlyMap<string, FilterAttribute> = new Map([
  ['title', 'title'],
  ['name', 'title'],
  ['tag', 'tag'],
])

interface Parser {
  readonly text: string
  readonly allowed: readonly FilterAttribute[]
  at: number
  terms: number
}

/**
 * The filter that `text` spells; undefined if it is blank and so asks for nothing. `and` binds tighter than `or`.
 * Keywords and attributes are read without regard to case, values to the letter; `name` is read as `title`. Takes time
 * in proportion to the text's length, whatever it holds.
 * @throws InvalidInputError for all that cannot be read so, an attribute that is not among `allowed`, more than 64
 * comparisons, more than 32 parentheses within each other, U+0000 and lone surrogates. Its words hold nothing of the text.
 */
export function parseFilter(text: string, allowed: readonly FilterAttribute[]): Filter | undefined {
  const reading: Parser = { text: text.trim(), allowed, at: 0, terms: 0 }
  if (reading.text === '') return undefined
  if (!text.isWellFormed() || text.includes('\0')) throw refused('cannot be read')
  const filter = parseOr(reading, 0)
  if (reading.at < reading.text.length) throw refused('cannot be read')
  return filter
}

function parseOr(reading: Parser, depth: number): Filter {
  return readList(reading, 'or', () => readList(reading, 'and', () => parsePrimary(reading, depth)))
}

function readList(reading: Parser, op: 'and' | 'or', read: () => Filter): Filter {
  const first = read()
  const others: Filter[] = []
  while (consume(reading, connectives[op]) !== undefined) others.push(read())
  return others.length === 0 ? first : { op, terms: [first, ...others] }
}

function parsePrimary(reading: Parser, depth: number): Filter {
  if (consume(reading, opening) === undefined) return readTerm(reading)
  if (depth === maxDepth) throw refused(`must be at most ${maxDepth} parentheses deep`)
  const filter = parseOr(reading, depth + 1)
  if (consume(reading, closing) === undefined) throw refused('cannot be read')
  return filter
}

function readTerm(reading: Parser): FilterCondition {
  const attribute = attributes.get(takeWord(reading))
  if (attribute === undefined || !reading.allowed.includes(attribute))
    throw refused(
      `must compare ${reading.allowed.includes('tag') ? 'title, name or tag' : 'title or name'}`,
    )
  const op = takeWord(reading)
  if (op !== 'eq' && op !== 'co') throw refused('must compare with eq or co')
  if (++reading.terms > maxConditions)
    throw refused(`must hold at most ${maxConditions} comparisons`)
  return { op, attribute, value: readValue(reading) }
}

function readValue(reading: Parser): string {
  if (consume(reading, quote) === undefined) throw refused('must have values in double quotes')
  const { text } = reading
  let value = ''
  let rawValue = ''
  let start = reading.at
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', start)) {
    const slashes = slashesBefore(text, start, end)
    rawValue = value + text.slice(start, end)
    value += text.slice(start, end - Math.ceil(slashes / 2))
    reading.at = end
    if (slashes % 2 === 0 && consume(reading, ending) !== undefined) return value
    value += '"'
    start = end + 1
  }
  if (consume(reading, ending) === undefined) throw refused('must close every value')
  return rawValue
}

/** How many backslashes stand right before `end`, and not before `start`. */
function slashesBefore(text: string, start: number, end: number): number {
  let first = end
  while (first > start && text[first - 1] === '\\') first--
  return end - first
}

function takeWord(reading: Parser): string {
  return consume(reading, word)?.trimEnd().toLowerCase() ?? ''
}

/** What the pattern finds right here, which is passed over; undefined if it finds nothing. */
function consume(reading: Parser, pattern: RegExp): string | undefined {
  pattern.lastIndex = reading.at
  const found = pattern.exec(reading.text)?.[0]
  reading.at += found?.length ?? 0
  return found
}

function refused(message: string): InvalidInputError {
  return InvalidInputError.at('filter', message)
}
