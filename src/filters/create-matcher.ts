/** Checks whether items and vaults match a parsed filter. */

import { createWordSearch, type WordSearch } from '../core/filter/word-search.js'
import type { Attribute, AttributeValue } from './attributes.js'
import type { Comparison, Expression } from './expression.js'

/**
 * Returns a function that checks whether an item or a vault matches. Its time grows with the length
 * of the attributes that the filter compares, but not with the number or the length of `co`
 * comparisons. Other comparisons read at most as much of an attribute as their value is long.
 * @param fold - Applied to the texts of items and vaults; the filter has been parsed with it.
 */
export function createMatcher<Result>(
  expression: Expression<Result>,
  fold: (text: string) => string,
): (result: Result) => boolean {
  const searches = createSearches(expression)
  return (result) => {
    const values = new Map<Attribute<Result>, readonly AttributeValue[]>()
    const found = new Map<Attribute<Result>, ReadonlySet<AttributeValue>>()
    const valuesOf = (attribute: Attribute<Result>): readonly AttributeValue[] => {
      let read = values.get(attribute)
      if (read === undefined) {
        read = attribute.read(result)
        if (attribute.type === 'text') read = read.map((text) => fold(String(text)))
        values.set(attribute, read)
      }
      return read
    }
    const containsWord = ({ attribute, value }: Comparison<Result>): boolean => {
      let words = found.get(attribute)
      if (words === undefined) {
        words = new Set(searches.get(attribute)?.(valuesOf(attribute).map(String)))
        found.set(attribute, words)
      }
      return words.has(value)
    }
    const matches = (part: Expression<Result>): boolean => {
      if ('terms' in part)
        return part.op === 'and' ? part.terms.every(matches) : part.terms.some(matches)
      if (part.op === 'not') return !matches(part.term)
      if (part.op === 'pr') return valuesOf(part.attribute).some((value) => value !== '')
      if (part.op === 'co') return containsWord(part)
      const { op, attribute, value } = part
      return valuesOf(attribute).some((actual) => comparisons[op](actual, value))
    }
    return matches(expression)
  }
}

/** Texts are ordered by their UTF-16 code units. */
const comparisons: Readonly<
  Record<
    Exclude<Comparison<never>['op'], 'co'>,
    (actual: AttributeValue, value: AttributeValue) => boolean
  >
> = {
  eq: (actual, value) => actual === value,
  sw: (actual, value) => String(actual).startsWith(String(value)),
  ew: (actual, value) => String(actual).endsWith(String(value)),
  gt: (actual, value) => actual > value,
  ge: (actual, value) => actual >= value,
  lt: (actual, value) => actual < value,
  le: (actual, value) => actual <= value,
}

/** Returns the search for the values of all `co` comparisons of each attribute. */
function createSearches<Result>(
  expression: Expression<Result>,
): ReadonlyMap<Attribute<Result>, WordSearch> {
  const words = new Map<Attribute<Result>, string[]>()
  const collect = (part: Expression<Result>): void => {
    if ('terms' in part) for (const term of part.terms) collect(term)
    else if (part.op === 'not') collect(part.term)
    else if (part.op === 'co')
      words.set(part.attribute, [...(words.get(part.attribute) ?? []), String(part.value)])
  }
  collect(expression)
  return new Map([...words].map(([attribute, list]) => [attribute, createWordSearch(list)]))
}
