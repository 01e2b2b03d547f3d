/** Reads the tokens of a filter: words, connectives, parentheses and values between quotes. */

/** The most comparisons of a filter. */
export const maxConditions = 64
/** The most nested parentheses of a filter. */
export const maxDepth = 32

/** A filter and the position up to which it has been read. */
export interface FilterReader {
  readonly text: string
  position: number
}

/**
 * The tokens of every filter. Each matches only at the current position, and includes the
 * whitespace after it.
 */
export const openingParenthesis = /\(\s*/y
export const closingParenthesis = /\)\s*/y
const connectives = { and: /and(?=[\s(])\s*/iy, or: /or(?=[\s(])\s*/iy } as const
const word = /[\w.]+\s*/y
const openingQuote = /"/y

/**
 * Consumes a token and returns its text; undefined if it does not match at the current position.
 */
export function consume(reader: FilterReader, token: RegExp): string | undefined {
  token.lastIndex = reader.position
  const matched = token.exec(reader.text)?.[0]
  reader.position += matched?.length ?? 0
  return matched
}

/** Consumes a word and returns it in lower case; an empty string if no word follows. */
export function consumeWord(reader: FilterReader): string {
  return consume(reader, word)?.trimEnd().toLowerCase() ?? ''
}

/**
 * Parses terms that are separated by a connective.
 * @returns The group of the terms; the term itself if there is only one.
 */
export function parseGroup<Term, Op extends keyof typeof connectives>(
  reader: FilterReader,
  op: Op,
  parseTerm: () => Term,
): Term | { readonly op: Op; readonly terms: readonly Term[] } {
  const terms = [parseTerm()]
  while (consume(reader, connectives[op]) !== undefined) terms.push(parseTerm())
  return terms.length === 1 ? (terms[0] as Term) : { op, terms }
}

/** Returns true if a quote follows, and consumes it. */
export function consumeOpeningQuote(reader: FilterReader): boolean {
  return consume(reader, openingQuote) !== undefined
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
export function consumeValue(reader: FilterReader, closingQuote: RegExp): string | undefined {
  const { text } = reader
  let value = ''
  let rawValue = ''
  let start = reader.position
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', start)) {
    const backslashes = countBackslashes(text, start, end)
    rawValue = value + text.slice(start, end)
    value += text.slice(start, end - Math.ceil(backslashes / 2))
    reader.position = end
    if (backslashes % 2 === 0 && consume(reader, closingQuote) !== undefined) return value
    value += '"'
    start = end + 1
  }
  return consume(reader, closingQuote) === undefined ? undefined : rawValue
}

/** Counts the backslashes directly before `end`, but not before `start`. */
function countBackslashes(text: string, start: number, end: number): number {
  let first = end
  while (first > start && text[first - 1] === '\\') first--
  return end - first
}
