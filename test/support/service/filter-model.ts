/** A model of the filters of the contract. */

import type { Filter } from './format-filter.js'

/** An item, as far as filters of the contract compare it. */
export interface FilterTarget {
  readonly title?: string | undefined
  readonly tags: readonly string[]
}

/** Returns the targets that match, with unions and intersections of sets and with `indexOf`. */
export function findMatches<Target extends FilterTarget>(
  filter: Filter,
  all: ReadonlySet<Target>,
): ReadonlySet<Target> {
  if ('terms' in filter) {
    const parts = filter.terms.map((term) => findMatches(term, all))
    if (filter.op === 'or') return new Set(parts.flatMap((part) => [...part]))
    return new Set([...all].filter((target) => !parts.some((part) => !part.has(target))))
  }
  const { op, attribute, value } = filter
  const matches = new Set<Target>()
  for (const target of all) {
    const titles = target.title === undefined ? [] : [target.title]
    for (const text of attribute === 'tag' ? target.tags : titles) {
      const index = text.indexOf(value)
      if (index >= 0 && (op === 'co' || (index === 0 && text.length === value.length)))
        matches.add(target)
    }
  }
  return matches
}
