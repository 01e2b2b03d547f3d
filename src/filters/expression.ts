/** Parsed filters. */

import type { Attribute, AttributeValue } from './attributes.js'

/** A comparison of each value of an attribute with a value. It holds if it does for one of them. */
export interface Comparison<Result> {
  readonly op: 'eq' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'
  readonly attribute: Attribute<Result>
  readonly value: AttributeValue
}

/** Holds if the attribute has a value that is not an empty text. */
interface Presence<Result> {
  readonly op: 'pr'
  readonly attribute: Attribute<Result>
}

/** A parsed filter. `ne` is the negation of `eq`. */
export type Expression<Result> =
  | Comparison<Result>
  | Presence<Result>
  | { readonly op: 'not'; readonly term: Expression<Result> }
  | { readonly op: 'and' | 'or'; readonly terms: readonly Expression<Result>[] }

/**
 * Returns titles of which every match has one; undefined if a match can have any title. Of several
 * such sets in an `and`, the smallest is returned.
 */
export function requiredTitles<Result>(
  expression: Expression<Result>,
): ReadonlySet<string> | undefined {
  if (expression.op === 'eq') {
    const { attribute, value } = expression
    return attribute.isIndexed ? new Set([String(value)]) : undefined
  }
  if (!('terms' in expression)) return undefined
  const { op, terms } = expression
  const sets = terms.map(requiredTitles).filter((titles) => titles !== undefined)
  if (op === 'and') return sets.sort((left, right) => left.size - right.size)[0]
  if (sets.length < terms.length) return undefined
  return new Set(sets.flatMap((titles) => [...titles]))
}
