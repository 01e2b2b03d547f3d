/** Parsed filters: comparisons of attributes, joined by `and`, `or` and `not`. */

import type { Fold } from '../../base/fold-case.js'
import { createPacer } from '../../base/pacer.js'

/** A value of an attribute. A time is in milliseconds since 1970. */
export type AttributeValue = string | number | boolean

/** An operator. `ne` is the negation of `eq`, and `pr` is true if there is a value. */
export type Operator = 'ne' | 'pr' | keyof typeof comparisons

/** An attribute of an item or a vault. */
export interface Attribute<Result> {
  /** The operators that compare it. Error messages name them in this order. */
  readonly operators: readonly Operator[]
  /** Set if the index keys of the records are made from this attribute. */
  readonly isIndexed?: true
  /** The error message for a value that `parse` does not accept. */
  readonly expectedValue: string
  /**
   * Parses the value of a comparison. Returns undefined if it is not valid for this attribute.
   * `text` is what is between the quotes, or a number, `true` or `false` without quotes.
   */
  parse(text: string, isQuoted: boolean): AttributeValue | undefined
  /** Returns the values of the attribute, or an empty array if there are none. */
  read(result: Result): readonly AttributeValue[]
}

/** Attributes by name. */
export type AttributeTable<Result> = Readonly<Record<string, Attribute<Result>>>

/** Compares each value of an attribute with a value. True if one of them matches. */
export interface Comparison<Result> {
  readonly op: keyof typeof comparisons
  readonly attribute: Attribute<Result>
  readonly value: AttributeValue
}

/** True if the attribute has a value that is not an empty string. */
interface Presence<Result> {
  readonly op: 'pr'
  readonly attribute: Attribute<Result>
}

/** A parsed filter. */
export type Expression<Result> =
  | Comparison<Result>
  | Presence<Result>
  | { readonly op: 'not'; readonly term: Expression<Result> }
  | { readonly op: 'and' | 'or'; readonly terms: readonly Expression<Result>[] }

type Compare = (actual: AttributeValue, value: AttributeValue) => boolean

/** Strings are ordered by their UTF-16 code units. */
const comparisons = {
  eq: (actual, value) => actual === value,
  co: (actual, value) => String(actual).includes(String(value)),
  sw: (actual, value) => String(actual).startsWith(String(value)),
  ew: (actual, value) => String(actual).endsWith(String(value)),
  gt: (actual, value) => actual > value,
  ge: (actual, value) => actual >= value,
  lt: (actual, value) => actual < value,
  le: (actual, value) => actual <= value,
} as const satisfies Record<string, Compare>

/** If the searched string is longer, the time of a search in V8 grows with its length. */
const maxFastSearchLength = 250

/**
 * Returns a set of titles that contains the title of every match, or undefined if a match can have
 * any title. If an `and` has several such sets, returns the smallest.
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

/**
 * Returns a function that checks whether an item or a vault matches. Its time grows with the length
 * of the attributes that the filter compares and with the number of `co` comparisons. The event
 * loop gets turns between searches, so the longest block is one search in one string. Comparisons
 * other than `co` read no more of a string than the length of their value. `eq` on an indexed
 * attribute also matches the id.
 * @param fold - Converts the strings of the attributes, as `parseExpression` converts those of the
 * filter.
 */
export function createMatcher<Result extends { readonly id: string }>(
  expression: Expression<Result>,
  fold: Fold,
): (result: Result) => Promise<boolean> {
  const pace = createPacer()
  return async (result) => {
    const read = new Map<Attribute<Result>, readonly AttributeValue[]>()
    const valuesOf = (attribute: Attribute<Result>): readonly AttributeValue[] => {
      const values =
        read.get(attribute) ??
        attribute.read(result).map((value) => (typeof value === 'string' ? fold(value) : value))
      read.set(attribute, values)
      return values
    }
    const isId = ({ op, attribute, value }: Comparison<Result>): boolean =>
      op === 'eq' && attribute.isIndexed === true && fold(result.id) === value
    const steps = evaluate(expression, valuesOf, isId)
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
      const pause = pace(step.value)
      if (pause) await pause
    }
  }
}

/** Yields the cost of each search in characters before it is made, and returns the outcome. */
function* evaluate<Result>(
  part: Expression<Result>,
  valuesOf: (attribute: Attribute<Result>) => readonly AttributeValue[],
  isId: (comparison: Comparison<Result>) => boolean,
): Generator<number, boolean> {
  if (part.op === 'not') return !(yield* evaluate(part.term, valuesOf, isId))
  if ('terms' in part) {
    const isOr = part.op === 'or'
    for (const term of part.terms) if ((yield* evaluate(term, valuesOf, isId)) === isOr) return isOr
    return !isOr
  }
  const values = valuesOf(part.attribute)
  if (part.op === 'pr') return values.some((value) => value !== '')
  for (const actual of values) {
    if (part.op === 'co') {
      const searches = Math.ceil(String(part.value).length / maxFastSearchLength)
      yield String(actual).length * searches
    }
    if (comparisons[part.op](actual, part.value)) return true
  }
  return isId(part)
}
