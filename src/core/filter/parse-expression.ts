/** Parses filters such as `title eq "x" and (tag eq "a" or name co "b")`. */

import { InvalidInputError } from '../../errors.js'
import type { Attribute, AttributeValue, Comparison, Expression } from './expression.js'

/** Maximum number of comparisons in a filter. */
const maxConditions = 64
/** Maximum depth of nested parentheses in a filter. */
const maxDepth = 32

/** The attributes of a filter language, its operators and its errors. */
export interface FilterSyntax<Result> {
  readonly attributes: AttributeTable<Result>
  /** True if a filter can contain `not` before a parenthesis. */
  readonly hasNot: boolean
  /**
   * A sticky pattern of a quote that can end a value, with the whitespace after it: the filter ends
   * there, or continues with something that looks like a comparison.
   */
  readonly closingQuote: RegExp
  readonly messages: FilterMessages
}

/** Attributes by their names. */
export type AttributeTable<Result> = ReadonlyMap<string, Attribute<Result>>

/** The texts of errors, each of which continues the word `filter`. They contain no part of it. */
export interface FilterMessages {
  /** True if a message ends with the position of the error. */
  readonly namesPosition: boolean
  attribute(names: readonly string[]): string
  operator(names: readonly string[]): string
  readonly closingQuote: string
  readonly closingParenthesis: string
  readonly continuation: string
  readonly character: string
}

/** A filter and the position up to which it has been read. */
interface Parser<Result> extends FilterSyntax<Result> {
  readonly text: string
  readonly maxWordLength: number
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
const literal = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)(?![\w.])\s*/iy

/**
 * Parses a filter. `and` binds tighter than `or`, `not` needs parentheses. Keywords, operators and
 * attributes are case-insensitive. The time is proportional to the length of the text.
 * @param maxWordLength - The characters that a word can have after `parse` of its attribute.
 * @returns The filter; undefined if the text is blank.
 * @throws InvalidInputError for an invalid filter, more than 64 comparisons, more than 32 nested
 * parentheses, a longer word, U+0000 and lone surrogates. Its message contains no part of the text.
 */
export function parseExpression<Result>(
  text: string,
  syntax: FilterSyntax<Result>,
  maxWordLength: number,
): Expression<Result> | undefined {
  const parser: Parser<Result> = { ...syntax, text, maxWordLength, position: 0, conditionCount: 0 }
  const { messages } = syntax
  consume(parser, whitespace)
  if (parser.position === text.length) return undefined
  const invalid = /\p{Cs}|\0/u.exec(text)
  if (invalid !== null) throw invalidFilterError(parser, messages.character, invalid.index)
  const expression = parseOr(parser, 0)
  if (parser.position < text.length) throw invalidFilterError(parser, messages.continuation)
  return expression
}

/** Returns the attribute of this name in any case; undefined if there is no such attribute. */
export function findAttribute<Result>(
  attributes: AttributeTable<Result>,
  name: string,
): Attribute<Result> | undefined {
  const lowerCaseName = name.toLowerCase()
  for (const [known, attribute] of attributes)
    if (known.toLowerCase() === lowerCaseName) return attribute
  return undefined
}

/** Returns `a, b or c`. */
export function joinNames(names: readonly string[]): string {
  return `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
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
  const isNegated = parser.hasNot && consume(parser, not) !== undefined
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
    throw invalidFilterError(parser, parser.messages.closingParenthesis)
  return isNegated ? { op: 'not', term } : term
}

function parseCondition<Result>(parser: Parser<Result>): Expression<Result> {
  const { attributes, messages, position } = parser
  const attribute = findAttribute(attributes, consumeWord(parser))
  if (attribute === undefined)
    throw invalidFilterError(parser, messages.attribute([...attributes.keys()]), position)
  const operatorPosition = parser.position
  const name = consumeWord(parser)
  const op = attribute.operators.find((operator) => operator === name)
  if (op === undefined) {
    const message = messages.operator(attribute.operators)
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

/** Parses the value of a comparison. `eq null` holds if the attribute is absent. */
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
    if (text === undefined) throw invalidFilterError(parser, parser.messages.closingQuote, position)
    value = attribute.parse(text, true)
  }
  if (value === undefined) throw invalidFilterError(parser, attribute.expectedValue, position)
  if (typeof value === 'string' && value.length > parser.maxWordLength) {
    const message = `must have words of at most ${parser.maxWordLength} characters`
    throw invalidFilterError(parser, message, position)
  }
  return { op, attribute, value }
}

/**
 * Consumes a token and returns its text; undefined if it does not match at the current position.
 */
function consume<Result>(parser: Parser<Result>, token: RegExp): string | undefined {
  token.lastIndex = parser.position
  const matched = token.exec(parser.text)?.[0]
  parser.position += matched?.length ?? 0
  return matched
}

/** Consumes a word and returns it in lower case; an empty string if no word follows. */
function consumeWord<Result>(parser: Parser<Result>): string {
  return consume(parser, word)?.trimEnd().toLowerCase() ?? ''
}

/**
 * Consumes a value and the quote that ends it.
 *
 * Clients put titles between the quotes without escaping them. So a quote ends the value only if
 * it matches `closingQuote`, which checks that the filter can continue or end after it. Any other
 * quote is part of the value.
 *
 * Backslashes are literal except directly before a quote, where they are parsed as on a Windows
 * command line: two of them are one, and a remaining one makes the quote part of the value. If no
 * quote ends the last value by these rules, its last quote does, and the backslashes before it are
 * literal.
 * @returns The value; undefined if no quote ends it.
 */
function consumeValue<Result>(parser: Parser<Result>): string | undefined {
  const { text, closingQuote } = parser
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
  { messages, position: current }: Parser<Result>,
  message: string,
  position = current,
): InvalidInputError {
  const place = messages.namesPosition ? ` at character ${position + 1}` : ''
  return InvalidInputError.at('filter', message + place)
}
