/**
 * Filters with the attributes and operators that the contract's lack, and sorted lists.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { extendedFilters } from 'cofferkit/filters'
 * import { createMemoryStore } from 'cofferkit/memory'
 *
 * const service = createVaultService({ store: createMemoryStore(), filters: extendedFilters })
 * ```
 *
 * @module cofferkit/filters
 */

import type { FilterLanguage, ListPlan, ListQuery } from './core/filter/filter-language.js'
import { InvalidInputError } from './errors.js'
import {
  type AttributeTable,
  findAttribute,
  itemAttributes,
  vaultAttributes,
} from './filters/attributes.js'
import { createMatcher } from './filters/create-matcher.js'
import { createSorter } from './filters/create-sorter.js'
import { requiredTitles } from './filters/expression.js'
import { foldCase } from './filters/fold-case.js'
import { parseExpression } from './filters/parse-expression.js'

/**
 * The language of SCIM filters (RFC 7644, section 3.4.2.2) for items and vaults. With it, lists can
 * also be sorted, and can ignore the case of texts. The attributes and operators are in
 * [docs/filters.md](https://github.com/cofferkit/cofferkit/blob/main/docs/filters.md).
 */
export const extendedFilters: FilterLanguage = {
  planItems: (query) => createPlan(itemAttributes, query),
  planVaults: (query) => createPlan(vaultAttributes, query),
}

function createPlan<Result extends { readonly id: string }>(
  attributes: AttributeTable<Result>,
  { filter = '', ignoreCase = false, sortBy, sortOrder, limit, after }: ListQuery,
): ListPlan<Result> {
  const fold = ignoreCase ? foldCase : (text: string): string => text
  const expression = parseExpression(filter, attributes, fold)
  const plan: ListPlan<Result> = expression
    ? {
        // The index keys of records are not folded.
        titles: ignoreCase ? undefined : requiredTitles(expression),
        matches: createMatcher(expression, fold),
      }
    : {}
  if (sortBy === undefined) {
    if (sortOrder === undefined) return plan
    throw InvalidInputError.at('sortOrder', 'needs sortBy')
  }
  if (after !== undefined) throw InvalidInputError.at('after', 'must not be combined with sortBy')
  const attribute = findAttribute(attributes, sortBy)
  if (attribute === undefined) throw InvalidInputError.at('sortBy', 'is not an attribute')
  const readKey = (result: Result) => {
    const [value] = attribute.read(result)
    return typeof value === 'string' ? fold(value) : value
  }
  return { ...plan, sorter: createSorter(readKey, sortOrder === 'descending', limit) }
}
