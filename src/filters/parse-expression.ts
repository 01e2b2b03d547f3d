/** Parses filters such as `category eq "LOGIN" and not (tag co "old" or updatedAt lt "2026-01-31")`. */

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
} from '../core/filter/filter-reader.js'
import { InvalidInputError } from '../errors.js'
import {
  type Attribute,
  type AttributeTable,
  type AttributeValue,
  findAttribute,
} from './attributes.js'
import type { Comparison, Expression } from './expression.js'
import { parseInstant } from './parse-instant.js'

/** The tokens that the contract's filters lack. */
const whitespace = /\s*/y
const negation = /not(?=[\s(])\s*/iy
const literal = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])\s*/iy

/**
 * A quote that can end a value, with the whitespace after it: the filter ends, or continues with
 * something that looks like a comparison, of any attribute. The pattern looks no further than the
 * next quote.
 */
const closingQuote =
  /"(?=[\s)]*(?:$|(?:and|or)(?=[\s(])[\s(]*(?:not\s*\([\s(]*)*[\w.]+\s+(?:pr(?![\w.])|(?:eq|ne|co|sw|ew|gt|ge|lt|le)\s*(?:"|true|false|null|-?\d))))\s*/iy

const orderOperators = ['gt', 'ge', 'lt', 'le'] as const

/** The operators of each type of attribute, besides `eq`, `ne` and `pr`. */
const operators: Readonly<Record<Attribute<never>['type'], readonly Comparison<never>['op'][]>> = {
  text: ['co', 'sw', 'ew', ...orderOperators],
  time: orderOperators,
  number: orderOperators,
  boolean: [],
}

interface Parser<Result> extends FilterReader {
  readonly attributes: AttributeTable<Result>
  readonly fold: (text: string) => string
  conditionCount: number
}

/**
 * Parses a filter. `and` binds tighter than `or`, `not` needs parentheses. Keywords, operators and
 * attributes are case-insensitive. The time is proportional to the length of the text.
 * @param fold - Applied to the texts that are compared.
 * @returns The filter; undefined if the text is blank.
 * @throws InvalidInputError for an invalid filter, more than 64 comparisons, more than 32 nested
 * parentheses, U+0000 and lone surrogates. Its message names the character of the text at which it
 * is invalid, from 1, and contains no part of the text.
 */
export function parseExpression<Result>(
  text: string,
  attributes: AttributeTable<Result>,
  fold: (text: string) => string,
): Expression<Result> | undefined {
  const parser: Parser<Result> = { text, attributes, fold, position: 0, conditionCount: 0 }
  consume(parser, whitespace)
  if (parser.position === text.length) return undefined
  const invalid = /\p{Cs}|\0/u.exec(text)
  if (invalid !== null) throw invalidFilterError('has an invalid character', invalid.index)
  const expression = parseOr(parser, 0)
  if (parser.position < text.length)
    throw invalidFilterError('must continue with and, or with or,', parser.position)
  return expression
}

function parseOr<Result>(parser: Parser<Result>, depth: number): Expression<Result> {
  return parseGroup(parser, 'or', () =>
    parseGroup(parser, 'and', () => parsePrimary(parser, depth)),
  )
}

function parsePrimary<Result>(parser: Parser<Result>, depth: number): Expression<Result> {
  const isNegated = consume(parser, negation) !== undefined
  const { position } = parser
  if (consume(parser, openingParenthesis) === undefined) {
    if (isNegated) throw invalidFilterError('must have parentheses after not', position)
    return parseCondition(parser)
  }
  if (depth === maxDepth)
    throw invalidFilterError(`must have at most ${maxDepth} nested parentheses`, position)
  const term = parseOr(parser, depth + 1)
  if (consume(parser, closingParenthesis) === undefined)
    throw invalidFilterError('must have a closing parenthesis', parser.position)
  return isNegated ? { op: 'not', term } : term
}

function parseCondition<Result>(parser: Parser<Result>): Expression<Result> {
  const start = parser.position
  const attribute = findAttribute(parser.attributes, consumeWord(parser))
  if (attribute === undefined) {
    const names = [...parser.attributes.keys()].join(', ')
    throw invalidFilterError(`must compare one of the attributes ${names}`, start)
  }
  if (++parser.conditionCount > maxConditions)
    throw invalidFilterError(`must have at most ${maxConditions} comparisons`, start)
  const operatorStart = parser.position
  const word = consumeWord(parser)
  if (word === 'pr') return { op: 'pr', attribute }
  const allowed = operators[attribute.type]
  const op = word === 'ne' || word === 'eq' ? 'eq' : allowed.find((one) => one === word)
  if (op === undefined) {
    const names = ['eq', 'ne', ...allowed].join(', ')
    throw invalidFilterError(`must have one of the operators ${names} or pr`, operatorStart)
  }
  const comparison = parseComparison(parser, attribute, op)
  return word === 'ne' ? { op: 'not', term: comparison } : comparison
}

/** Parses the value of a comparison. `eq null` holds if the attribute is absent. */
function parseComparison<Result>(
  parser: Parser<Result>,
  attribute: Attribute<Result>,
  op: Comparison<Result>['op'],
): Expression<Result> {
  const { position } = parser
  if (!consumeOpeningQuote(parser)) {
    const word = consume(parser, literal)?.trimEnd().toLowerCase()
    if (word === 'null' && op === 'eq') return { op: 'not', term: { op: 'pr', attribute } }
    const value = word === undefined ? undefined : parseLiteral(word, attribute.type)
    if (value === undefined) throw invalidFilterError(expectedValue[attribute.type], position)
    return { op, attribute, value }
  }
  const text = consumeValue(parser, closingQuote)
  if (text === undefined) throw invalidFilterError('must close the quotes of the value', position)
  const value = parseText(text, attribute.type, parser.fold)
  if (value === undefined) throw invalidFilterError(expectedValue[attribute.type], position)
  return { op, attribute, value }
}

const expectedValue = {
  text: 'must have a value in double quotes',
  time: 'must have a time in double quotes, such as 2026-01-31T08:00:00Z or 2026-01-31,',
  number: 'must have a number',
  boolean: 'must have true or false',
} as const satisfies Record<Attribute<never>['type'], string>

/** Returns the value of a word without quotes; undefined if it is not of this type. */
function parseLiteral(word: string, type: Attribute<never>['type']): AttributeValue | undefined {
  if (type === 'number' && /\d/.test(word)) return Number(word)
  return type === 'boolean' && /^[tf]/.test(word) ? word === 'true' : undefined
}

/** Returns the value of a text between quotes; undefined if it is not of this type. */
function parseText(
  text: string,
  type: Attribute<never>['type'],
  fold: (text: string) => string,
): AttributeValue | undefined {
  if (type === 'text') return fold(text)
  return type === 'time' ? parseInstant(text) : undefined
}

function invalidFilterError(message: string, position: number): InvalidInputError {
  return InvalidInputError.at('filter', `${message} at character ${position + 1}`)
}
