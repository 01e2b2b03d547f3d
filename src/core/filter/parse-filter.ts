/**
 * Parses filters such as `title eq "x" and (tag eq "a" or name co "b")`.
 *
 * Clients put titles between the quotes without escaping them. So a quote ends the value only if
 * the filter can continue or end after it: at the end of the text, or before `and` or `or` and
 * another comparison, with any parentheses in between. Any other quote is part of the value.
 *
 * Backslashes are literal except directly before a quote, where they are parsed as on a Windows
 * command line: two of them are one, and a remaining one makes the quote part of the value. If no
 * quote ends the last value by these rules, its last quote does, and the backslashes before it are
 * literal.
 */

import { InvalidInputError } from '../../errors.js'
import type { Filter, FilterAttribute, FilterCondition } from './filter.js'

const maxConditions = 64
const maxDepth = 32

/**
 * The tokens of a filter. Each matches only at the current position, and includes the whitespace
 * after it.
 */
const openingParenthesis = /\(\s*/y
const closingParenthesis = /\)\s*/y
const word = /[\w.]+\s*/y
const openingQuote = /"/y
const connectives = { and: /and(?=[\s(])\s*/iy, or: /or(?=[\s(])\s*/iy } as const

/**
 * A quote that can end a value, with the whitespace after it. Any attribute and operator of RFC
 * 7644 can follow, so that unsupported ones are rejected instead of becoming part of the value. The
 * pattern looks no further than the next quote.
 */
const closingQuote =
  /"(?=[\s)]*(?:$|(?:and|or)(?=[\s(])[\s(]*[\w.]+\s+(?:eq|ne|co|sw|ew|gt|ge|lt|le)\s*"))\s*/iy

const attributes: ReadonlyMap<string, FilterAttribute> = new Map([
  ['title', 'title'],
  ['name', 'title'],
  ['tag', 'tag'],
])

interface Parser {
  readonly text: string
  readonly allowed: readonly FilterAttribute[]
  position: number
  conditionCount: number
}

/**
 * Parses a filter. `and` binds tighter than `or`. Keywords and attributes are case-insensitive,
 * values are case-sensitive; `name` is an alias of `title`. The time is proportional to the length
 * of the text.
 * @returns The filter; undefined if the text is blank.
 * @throws InvalidInputError for invalid syntax, an attribute that is not in `allowed`, more than 64
 * comparisons, more than 32 nested parentheses, U+0000 and lone surrogates. Its message contains
 * no part of the text.
 */
export function parseFilter(text: string, allowed: readonly FilterAttribute[]): Filter | undefined {
  const parser: Parser = { text: text.trim(), allowed, position: 0, conditionCount: 0 }
  if (parser.text === '') return undefined
  if (!text.isWellFormed() || text.includes('\0')) throw invalidFilterError('has an invalid format')
  const filter = parseOr(parser, 0)
  if (parser.position < parser.text.length) throw invalidFilterError('has an invalid format')
  return filter
}

function parseOr(parser: Parser, depth: number): Filter {
  const parseAnd = (): Filter => parseGroup(parser, 'and', () => parsePrimary(parser, depth))
  return parseGroup(parser, 'or', parseAnd)
}

function parseGroup(parser: Parser, op: 'and' | 'or', parseTerm: () => Filter): Filter {
  const first = parseTerm()
  const rest: Filter[] = []
  while (consume(parser, connectives[op]) !== undefined) rest.push(parseTerm())
  return rest.length === 0 ? first : { op, terms: [first, ...rest] }
}

function parsePrimary(parser: Parser, depth: number): Filter {
  if (consume(parser, openingParenthesis) === undefined) return parseCondition(parser)
  if (depth === maxDepth)
    throw invalidFilterError(`must have at most ${maxDepth} nested parentheses`)
  const filter = parseOr(parser, depth + 1)
  if (consume(parser, closingParenthesis) === undefined)
    throw invalidFilterError('has an invalid format')
  return filter
}

function parseCondition(parser: Parser): FilterCondition {
  const attribute = attributes.get(consumeWord(parser))
  if (attribute === undefined || !parser.allowed.includes(attribute))
    throw invalidFilterError(
      `must compare ${parser.allowed.includes('tag') ? 'title, name or tag' : 'title or name'}`,
    )
  const op = consumeWord(parser)
  if (op !== 'eq' && op !== 'co') throw invalidFilterError('must compare with eq or co')
  if (++parser.conditionCount > maxConditions)
    throw invalidFilterError(`must have at most ${maxConditions} comparisons`)
  return { op, attribute, value: parseValue(parser) }
}

function parseValue(parser: Parser): string {
  if (consume(parser, openingQuote) === undefined)
    throw invalidFilterError('must have values in double quotes')
  const { text } = parser
  let value = ''
  let rawValue = ''
  let start = parser.position
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', start)) {
    const backslashes = countBackslashes(text, start, end)
    rawValue = value + text.slice(start, end)
    value += text.slice(start, end - Math.ceil(backslashes / 2))
    parser.position = end
    if (backslashes % 2 === 0 && consume(parser, closingQuote) !== undefined) return value
    value += '"'
    start = end + 1
  }
  if (consume(parser, closingQuote) === undefined)
    throw invalidFilterError('must close the quotes of every value')
  return rawValue
}

/** Counts the backslashes directly before `end`, but not before `start`. */
function countBackslashes(text: string, start: number, end: number): number {
  let first = end
  while (first > start && text[first - 1] === '\\') first--
  return end - first
}

/** Consumes a word and returns it in lower case; an empty string if no word follows. */
function consumeWord(parser: Parser): string {
  return consume(parser, word)?.trimEnd().toLowerCase() ?? ''
}

/**
 * Consumes a token and returns its text; undefined if it does not match at the current position.
 */
function consume(parser: Parser, token: RegExp): string | undefined {
  token.lastIndex = parser.position
  const matched = token.exec(parser.text)?.[0]
  parser.position += matched?.length ?? 0
  return matched
}

function invalidFilterError(message: string): InvalidInputError {
  return InvalidInputError.at('filter', message)
}
