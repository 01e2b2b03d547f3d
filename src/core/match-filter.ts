/** Whether a filter lets something through. */

import type { Filter } from './filter.js'

/** What a filter is held against: an item, or a vault with its name as the title. */
export interface Filterable {
  readonly title?: string
  readonly tags: readonly string[]
}

/** Whether `thing` meets the filter. Looks at its title and tags only. */
export function matchesFilter(filter: Filter, thing: Filterable): boolean {
  if ('terms' in filter) {
    const meets = (term: Filter): boolean => matchesFilter(term, thing)
    return filter.op === 'and' ? filter.terms.every(meets) : filter.terms.some(meets)
  }
  const { op, attribute, value } = filter
  const fits = (text: string): boolean => (op === 'eq' ? text === value : text.includes(value))
  if (attribute === 'tag') return thing.tags.some(fits)
  return thing.title !== undefined && fits(thing.title)
}
