/** A filter: a condition on the title and the tags of items, or on the name of vaults. */

import { searchWords, type WordSearch } from './search-words.js'

/** What a filter can ask for. An item's title and a vault's name are the same to it. */
export type FilterAttribute = 'title' | 'tag'

/**
 * One comparison: `eq` is equal, `co` is contains, both to the letter. A `tag` is compared with each tag of the item,
 * and one that fits is enough. What has no title fits no comparison with a title.
 */
export interface FilterCondition {
  readonly op: 'eq' | 'co'
  readonly attribute: FilterAttribute
  readonly value: string
}

/** Several filters of which all (`and`) or at least one (`or`) must hold; two or more. */
export interface FilterGroup {
  readonly op: 'and' | 'or'
  readonly terms: readonly Filter[]
}

/** A condition that an item or a vault meets or does not. */
export type Filter = FilterCondition | FilterGroup

/**
 * Titles one of which everything that meets the filter has; undefined if the filter can be met under any title. Of an
 * `and` the part that demands the fewest is chosen.
 */
export function requiredTitles(filter: Filter): ReadonlySet<string> | undefined {
  if (!('terms' in filter)) {
    const { op, attribute, value } = filter
    return op === 'eq' && attribute === 'title' ? new Set([value]) : undefined
  }
  const demands = filter.terms.map(requiredTitles)
  const demanding = demands.filter((titles) => titles !== undefined)
  if (filter.op === 'and') return demanding.sort((one, other) => one.size - other.size)[0]
  if (demanding.length < demands.length) return undefined
  return new Set(demanding.flatMap((titles) => [...titles]))
}

/** What a filter is held against: an item, or a vault with its name as the title. */
export interface FilterTarget {
  readonly title?: string
  readonly tags: readonly string[]
}

/**
 * A function that returns whether something meets the filter. It reads title and tags only. Its time grows with their
 * length, not with the number of comparisons or the length of their values.
 */
export function matchesFilter(filter: Filter): (thing: FilterTarget) => boolean {
  const searches: Readonly<Record<FilterAttribute, WordSearch>> = {
    title: searchWords(partsIn(filter, 'title')),
    tag: searchWords(partsIn(filter, 'tag')),
  }
  return ({ title, tags }) => {
    const texts = { title: title === undefined ? [] : [title], tag: tags }
    const found: Partial<Record<FilterAttribute, ReadonlySet<string>>> = {}
    const meets = (part: Filter): boolean => {
      if ('terms' in part)
        return part.op === 'and' ? part.terms.every(meets) : part.terms.some(meets)
      const { op, attribute, value } = part
      if (op === 'eq') return texts[attribute].includes(value)
      found[attribute] ??= searches[attribute](texts[attribute])
      return found[attribute].has(value)
    }
    return meets(filter)
  }
}

/** The values that this attribute has to contain. */
function partsIn(filter: Filter, attribute: FilterAttribute): readonly string[] {
  if ('terms' in filter) return filter.terms.flatMap((term) => partsIn(term, attribute))
  return filter.op === 'co' && filter.attribute === attribute ? [filter.value] : []
}
