/** Filters as values, and their text, for tests of the parser. */

import { quoteFilterValue } from '../../../src/index.js'

/** A single comparison. */
export interface FilterCondition {
  readonly op: 'eq' | 'co'
  readonly attribute: 'title' | 'tag'
  readonly value: string
}

/** A condition, or two or more filters. */
export type Filter =
  | FilterCondition
  | { readonly op: 'and' | 'or'; readonly terms: readonly Filter[] }

/** Formats a filter, with parentheses around each group within another one. */
export function formatFilter(filter: Filter): string {
  if ('terms' in filter) return filter.terms.map(formatTerm).join(` ${filter.op} `)
  return `${filter.attribute} ${filter.op} ${quoteFilterValue(filter.value)}`
}

function formatTerm(term: Filter): string {
  return 'terms' in term ? `(${formatFilter(term)})` : formatFilter(term)
}
