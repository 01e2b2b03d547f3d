/** The filters of the contract: `eq` and `co` on titles and tags, without an order of results. */

import { InvalidInputError } from '../../errors.js'
import {
  createFilterMatcher,
  type FilterAttribute,
  type FilterTarget,
  requiredTitles,
} from './filter.js'
import type { FilterLanguage, ListPlan, ListQuery } from './filter-language.js'
import { parseFilter } from './parse-filter.js'

/** The language of a service without the option `filters`. */
export const contractFilters: FilterLanguage = {
  planItems: (query) => createPlan(query, ['title', 'tag'], (item) => item),
  planVaults: (query) => createPlan(query, ['title'], ({ name }) => ({ title: name, tags: [] })),
}

function createPlan<Result>(
  query: ListQuery,
  attributes: readonly FilterAttribute[],
  toTarget: (result: Result) => FilterTarget,
): ListPlan<Result> {
  for (const name of ['ignoreCase', 'sortBy', 'sortOrder'] as const)
    if (query[name]) throw InvalidInputError.at(name, 'needs the option filters of the service')
  const filter = parseFilter(query.filter ?? '', attributes)
  if (filter === undefined) return {}
  const matches = createFilterMatcher(filter)
  return { titles: requiredTitles(filter), matches: (result) => matches(toTarget(result)) }
}
