/** Filters of the contract as values, and as the strings that clients send. */

import { object, oneOf, text } from '../../base/argument.js'
import { defineOptions, type OptionKinds } from '../../base/options.js'

/** The attribute that a condition compares. For a vault, `title` is its name. */
export type FilterAttribute = 'title' | 'tag'

/**
 * A single comparison: `eq` for equal, `co` for contains, both case-sensitive. `tag` matches if at
 * least one tag of the item does. An item without a title matches no comparison of `title`.
 */
export interface FilterCondition {
  readonly op: 'eq' | 'co'
  readonly attribute: FilterAttribute
  readonly value: string
}

/** Two or more filters. All of them (`and`) or at least one (`or`) must match. */
export interface FilterGroup {
  readonly op: 'and' | 'or'
  readonly terms: readonly Filter[]
}

/** A condition, or a group of filters. */
export type Filter = FilterCondition | FilterGroup

/**
 * Formats a filter, with any characters in its values, for the `filter` of `listItems` and
 * `listVaults`.
 * @returns The filter as a string, not yet encoded for a URL. It is parsed as an equal filter
 * within the limits of the parser: 4,096 characters, 64 comparisons, 32 nested parentheses and 250
 * characters for each value.
 * @throws TypeError if `filter` is not an object, or one of its conditions is invalid.
 * @example
 * formatFilter({ op: 'eq', attribute: 'title', value: 'GitHub' }) // 'title eq "GitHub"'
 */
export function formatFilter(filter: Filter): string {
  anyFilter(filter, 'filter')
  if ('terms' in filter) return filter.terms.map(formatTerm).join(` ${filter.op} `)
  const { attribute, op, value } = filterCondition.read(filter, 'filter')
  return `${attribute} ${op} ${quoteFilterValue(value)}`
}

const anyFilter = object<Filter>()
const anyText = text()
const filterCondition = defineOptions({
  op: oneOf('eq', 'co'),
  attribute: oneOf('title', 'tag'),
  value: text(),
} satisfies OptionKinds<FilterCondition>)

function formatTerm(term: Filter): string {
  return 'terms' in term ? `(${formatFilter(term)})` : formatFilter(term)
}

/**
 * Quotes a value for a filter. As in a Windows command line, only backslashes before a quote are
 * escaped.
 * @returns The value in double quotes, not yet encoded for a URL. No value can end the comparison
 * early.
 * @throws TypeError if `value` is not a string.
 */
export function quoteFilterValue(value: string): string {
  anyText(value, 'value')
  let quoted = ''
  let backslashes = 0
  for (const character of value) {
    quoted += character === '"' ? `${'\\'.repeat(backslashes + 1)}"` : character
    backslashes = character === '\\' ? backslashes + 1 : 0
  }
  return `"${quoted}${'\\'.repeat(backslashes)}"`
}
