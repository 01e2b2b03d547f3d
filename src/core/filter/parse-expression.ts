/** Parses filters such as `title eq "x" and (tag eq "a" or name co "b")`. */

import type { Fold } from '../../base/fold-case.js'
import { InvalidInputError } from '../../errors.js'
import type {
  Attribute,
  AttributeTable,
  AttributeValue,
  Comparison,
  Expression,
} from './expression.js'

/** Maximum number of comparisons in a filter. */
const maxConditions = 64
/** Maximum depth of nested parentheses in a filter. */
const maxDepth = 32

/** How the words of a filter are read. */
interface WordRules {
  /**
   * Converts the words, before they are compared with strings that are converted in the same way.
   */
  readonly fold: Fold
  /** How many characters a converted word can have. */
  readonly maxWordLength: number
}

/** A filter and the position up to which it has been read. */
interface Parser<Result> extends WordRules {
  readonly text: string
  readonly attributes: AttributeTable<Result>
  position: number
  conditionCount: number
}

/** Each token matches only at the current position, and includes the whitespace after it. */
const whitespace = /\s*/y
const openingParenthesis = /\(\s*/y
const closingParenthesis = /\)\s*/y
const not = /not(?=[\s(])\s*/iy
const connectives = { and: /and(?=[\s(])\s*/iy, or: /or(?=[\s(])\s*/iy } as const
const word = /[\w.]+\s*/y
const openingQuote = /"/y
/**
 * A quote that ends a value, with the white space after it. After it, the filter ends or continues
 * with something that looks like a comparison. The pattern looks no further than the next quote.
 */
const closingQuote =
  /"(?=[\s)]*(?:$|(?:and|or)(?=[\s(])[\s(]*(?:not\s*\([\s(]*)*[\w.]+\s+(?:pr(?![\w.])|(?:eq|ne|co|sw|ew|gt|ge|lt|le)\s*(?:"|true|false|null|-?\d))))\s*/iy
const literal = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])\s*/iy

/**
 * Parses a filter. `and` binds tighter than `or`, and `not` needs parentheses. Keywords, operators
 * and attributes are case-insensitive. The time is proportional to the length of the string.
 * @returns The filter, or undefined if the string is blank.
 * @throws InvalidInputError if the filter is invalid, has more than 64 comparisons, more than 32
 * nested parentheses, a longer word, U+0000 or a lone surrogate. Its message has the position of
 * the first invalid character, from 1, and contains no part of the filter.
 */
export function parseExpression<Result>(
  text: string,
  attributes: AttributeTable<Result>,
  words: WordRules,
): Expression<Result> | undefined {
  const parser: Parser<Result> = { ...words, text, attributes, position: 0, conditionCount: 0 }
  consume(parser, whitespace)
  if (parser.position === text.length) return undefined
  const invalid = /\p{Cs}|\0/u.exec(text)
  if (invalid !== null) throw invalidFilterError(parser, 'has an invalid character', invalid.index)
  const expression = parseOr(parser, 0)
  if (parser.position < text.length)
    throw invalidFilterError(parser, 'must continue with and, or with or,')
  return expression
}

function parseOr<Result>(parser: Parser<Result>, depth: number): Expression<Result> {
  return parseGroup(parser, 'or', () =>
    parseGroup(parser, 'and', () => parsePrimary(parser, depth)),
  )
}

/** Parses terms that are separated by a connective. Returns the term itself if it is the only one. */
function parseGroup<Result>(
  parser: Parser<Result>,
  op: keyof typeof connectives,
  parseTerm: () => Expression<Result>,
): Expression<Result> {
  const first = parseTerm()
  const terms = [first]
  while (consume(parser, connectives[op]) !== undefined) terms.push(parseTerm())
  return terms.length === 1 ? first : { op, terms }
}

function parsePrimary<Result>(parser: Parser<Result>, depth: number): Expression<Result> {
  const isNegated = consume(parser, not) !== undefined
  const { position } = parser
  if (consume(parser, openingParenthesis) === undefined) {
    if (isNegated) throw invalidFilterError(parser, 'must have parentheses after not')
    return parseCondition(parser)
  }
  if (depth === maxDepth) {
    const message = `must have at most ${maxDepth} nested parentheses`
    throw invalidFilterError(parser, message, position)
  }
  const term = parseOr(parser, depth + 1)
  if (consume(parser, closingParenthesis) === undefined)
    throw invalidFilterError(parser, 'must have a closing parenthesis')
  return isNegated ? { op: 'not', term } : term
}

function parseCondition<Result>(parser: Parser<Result>): Expression<Result> {
  const { attributes, position } = parser
  const attribute = findAttribute(attributes, consumeWord(parser))
  if (attribute === undefined) {
    const names = Object.keys(attributes).join(', ')
    throw invalidFilterError(parser, `must compare one of the attributes ${names}`, position)
  }
  const operatorPosition = parser.position
  const name = consumeWord(parser)
  const op = attribute.operators.find((operator) => operator === name)
  if (op === undefined) {
    const { operators } = attribute
    const names = `${operators.slice(0, -1).join(', ')} or ${operators.at(-1)}`
    const message = `must have one of the operators ${names}`
    throw invalidFilterError(parser, message, operatorPosition)
  }
  if (++parser.conditionCount > maxConditions) {
    const message = `must have at most ${maxConditions} comparisons`
    throw invalidFilterError(parser, message, position)
  }
  if (op === 'pr') return { op, attribute }
  if (op !== 'ne') return parseComparison(parser, attribute, op)
  return { op: 'not', term: parseComparison(parser, attribute, 'eq') }
}

/** Parses the value of a comparison. `eq null` is true if the attribute is not set. */
function parseComparison<Result>(
  parser: Parser<Result>,
  attribute: Attribute<Result>,
  op: Comparison<Result>['op'],
): Expression<Result> {
  const { position } = parser
  let value: AttributeValue | undefined
  if (consume(parser, openingQuote) === undefined) {
    const text = consume(parser, literal)?.trimEnd().toLowerCase()
    if (text === 'null' && op === 'eq' && attribute.operators.includes('pr'))
      return { op: 'not', term: { op: 'pr', attribute } }
    value = text === undefined ? undefined : attribute.parse(text, false)
  } else {
    const text = consumeValue(parser)
    if (text === undefined)
      throw invalidFilterError(parser, 'must close the quotes of the value', position)
    value = attribute.parse(text, true)
    if (typeof value === 'string') value = parser.fold(value)
  }
  if (value === undefined) throw invalidFilterError(parser, attribute.expectedValue, position)
  if (typeof value === 'string' && value.length > parser.maxWordLength) {
    const message = `must have words of at most ${parser.maxWordLength} characters`
    throw invalidFilterError(parser, message, position)
  }
  return { op, attribute, value }
}

/**
 * Consumes a token and returns its text, or undefined if it does not match at the current position.
 */
function consume<Result>(parser: Parser<Result>, token: RegExp): string | undefined {
  token.lastIndex = parser.position
  const matched = token.exec(parser.text)?.[0]
  parser.position += matched?.length ?? 0
  return matched
}

/** Returns the attribute with this lowercase name, or undefined if it does not exist. */
function findAttribute<Result>(
  attributes: AttributeTable<Result>,
  lowerCaseName: string,
): Attribute<Result> | undefined {
  return Object.entries(attributes).find(([name]) => name.toLowerCase() === lowerCaseName)?.[1]
}

/** Consumes a word and returns it in lower case, or an empty string if no word follows. */
function consumeWord<Result>(parser: Parser<Result>): string {
  return consume(parser, word)?.trimEnd().toLowerCase() ?? ''
}

/**
 * Consumes a value and the quote that ends it.
 *
 * Clients put titles between the quotes without escaping them. So a quote ends the value only if it
 * matches `closingQuote`, which checks that the filter can continue or end after it. Any other
 * quote is part of the value.
 *
 * Backslashes are literal, except directly before a quote. There they are parsed as on a Windows
 * command line, so two of them mean one, and a remaining one makes the quote part of the value. If
 * no quote ends the last value by these rules, its last quote does, and the backslashes before it
 * are literal.
 * @returns The value, or undefined if no quote ends it.
 */
function consumeValue<Result>(parser: Parser<Result>): string | undefined {
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
  return consume(parser, closingQuote) === undefined ? undefined : rawValue
}

/** Counts the backslashes directly before `end`, but not before `start`. */
function countBackslashes(text: string, start: number, end: number): number {
  let first = end
  while (first > start && text[first - 1] === '\\') first--
  return end - first
}

function invalidFilterError<Result>(
  { position: current }: Parser<Result>,
  message: string,
  position = current,
): InvalidInputError {
  return InvalidInputError.at('filter', `${message} at character ${position + 1}`)
}
