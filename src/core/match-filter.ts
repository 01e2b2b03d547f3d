/** Whether a filter lets something through. */

import type { Filter, FilterAttribute } from './filter.js'
import { searchWords, type WordSearch } from './search-words.js'

/** What a filter is held against: an item, or a vault with its name as the title. */
export interface Filterable {
  readonly title?: string
  readonly tags: readonly string[]
}

/**
 * A function that returns whether something meets the filter. It reads title and tags only. Its time grows with their
 * length, not with the number of comparisons or the length of their values.
 */
export function matchesFilter(filter: Filter): (thing: Filterable) => boolean {
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
