/** Parses filters such as `title eq "x" and (tag eq "a" or name co "b")`. */

import { InvalidInputError } from '../../errors.js'
import type { Filter, FilterAttribute, FilterCondition } from './filter.js'
import {
  closingParenthesis,
  consume,
  consumeOpeningQuote,
  consumeValue,
  consumeWord,
  type FilterReader,
  maxConditions,
  maxDepth,
  openingParenthesis,
  parseGroup,
} from './filter-reader.js'

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

interface Parser extends FilterReader {
  readonly allowed: readonly FilterAttribute[]
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
  if (!consumeOpeningQuote(parser)) throw invalidFilterError('must have values in double quotes')
  const value = consumeValue(parser, closingQuote)
  if (value === undefined) throw invalidFilterError('must close the quotes of every value')
  return value
}

function invalidFilterError(message: string): InvalidInputError {
  return InvalidInputError.at('filter', message)
}
