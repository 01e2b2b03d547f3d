/** Formats a filter as the text that clients send. */

import { assertLike, assertOptions } from '../../assert-argument.js'
import type { Filter } from './filter.js'

/**
 * Formats a filter, with any characters in its values, for the `filter` of `listItems` and
 * `listVaults`.
 * @returns The text, not yet encoded for a URL. It is parsed as an equal filter if it is within the
 * limits of the parser: 4,096 characters, 64 comparisons and 32 nested parentheses.
 * @throws TypeError if `filter` is not an object.
 * @example
 * formatFilter({ op: 'eq', attribute: 'title', value: 'GitHub' }) // 'title eq "GitHub"'
 */
export function formatFilter(filter: Filter): string {
  assertOptions(filter, 'filter')
  return 'terms' in filter
    ? filter.terms.map(formatTerm).join(` ${filter.op} `)
    : `${filter.attribute} ${filter.op} ${quoteFilterValue(filter.value)}`
}

function formatTerm(term: Filter): string {
  return 'terms' in term ? `(${formatFilter(term)})` : formatFilter(term)
}

/**
 * Quotes a value for a filter, like an argument of a Windows command line: only backslashes before a
 * quote are escaped.
 * @returns The value in double quotes, not yet encoded for a URL. Whatever the value contains, it
 * cannot end the comparison.
 * @throws TypeError if `value` is not a string.
 */
export function quoteFilterValue(value: string): string {
  assertLike(value, '', 'value')
  let quoted = ''
  let backslashes = 0
  for (const character of value) {
    quoted += character === '"' ? `${'\\'.repeat(backslashes + 1)}"` : character
    backslashes = character === '\\' ? backslashes + 1 : 0
  }
  return `"${quoted}${'\\'.repeat(backslashes)}"`
}
