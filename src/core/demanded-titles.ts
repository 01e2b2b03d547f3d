/** The titles that a filter demands, so that what it lets through can be found without looking at all the rest. */

import type { Filter } from './filter.js'

/**
 * Titles one of which everything that meets the filter has; undefined if the filter can be met under any title. Of an
 * `and` the part that demands the fewest is chosen.
 */
export function demandedTitles(filter: Filter): ReadonlySet<string> | undefined {
  if (!('terms' in filter)) {
    const { op, attribute, value } = filter
    return op === 'eq' && attribute === 'title' ? new Set([value]) : undefined
  }
  const demands = filter.terms.map(demandedTitles)
  const demanding = demands.filter((titles) => titles !== undefined)
  if (filter.op === 'and') return demanding.sort((one, other) => one.size - other.size)[0]
  if (demanding.length < demands.length) return undefined
  return new Set(demanding.flatMap((titles) => [...titles]))
}
