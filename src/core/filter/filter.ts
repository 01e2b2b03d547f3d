/** Filters: conditions on the title and the tags of items, or on the name of vaults. */

import { createWordSearch, type WordSearch } from './word-search.js'

/** The attribute that a condition compares. `title` also is the name of a vault. */
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

/** Two or more filters, of which all (`and`) or at least one (`or`) must match. */
export interface FilterGroup {
  readonly op: 'and' | 'or'
  readonly terms: readonly Filter[]
}

/** A condition, or a group of filters. */
export type Filter = FilterCondition | FilterGroup

/**
 * Returns titles of which everything that matches the filter has one; undefined if the filter can
 * match any title. Of several such sets in an `and`, the smallest is returned.
 */
export function requiredTitles(filter: Filter): ReadonlySet<string> | undefined {
  if (!('terms' in filter)) {
    const { op, attribute, value } = filter
    return op === 'eq' && attribute === 'title' ? new Set([value]) : undefined
  }
  const sets = filter.terms.map(requiredTitles).filter((titles) => titles !== undefined)
  if (filter.op === 'and') return sets.sort((left, right) => left.size - right.size)[0]
  if (sets.length < filter.terms.length) return undefined
  return new Set(sets.flatMap((titles) => [...titles]))
}

/** The item that is matched, or a vault with its name as the title. */
export interface FilterTarget {
  readonly title?: string
  readonly tags: readonly string[]
}

/**
 * Returns a function that checks whether an item or a vault matches the filter. It only reads title
 * and tags. Its time grows with their length, but not with the number of comparisons or the length
 * of their values.
 */
export function createFilterMatcher(filter: Filter): (target: FilterTarget) => boolean {
  const searches: Readonly<Record<FilterAttribute, WordSearch>> = {
    title: createWordSearch(substringsOf(filter, 'title')),
    tag: createWordSearch(substringsOf(filter, 'tag')),
  }
  return ({ title, tags }) => {
    const texts = { title: title === undefined ? [] : [title], tag: tags }
    const found: Partial<Record<FilterAttribute, ReadonlySet<string>>> = {}
    const matches = (part: Filter): boolean => {
      if ('terms' in part)
        return part.op === 'and' ? part.terms.every(matches) : part.terms.some(matches)
      const { op, attribute, value } = part
      if (op === 'eq') return texts[attribute].includes(value)
      found[attribute] ??= searches[attribute](texts[attribute])
      return found[attribute].has(value)
    }
    return matches(filter)
  }
}

/** Returns the values of all `co` comparisons of an attribute. */
function substringsOf(filter: Filter, attribute: FilterAttribute): readonly string[] {
  if ('terms' in filter) return filter.terms.flatMap((term) => substringsOf(term, attribute))
  return filter.op === 'co' && filter.attribute === attribute ? [filter.value] : []
}
