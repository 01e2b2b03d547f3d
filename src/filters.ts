/**
 * Filters with attributes and operators beyond those of the contract, and sorted lists.
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

import { type Fold, foldCase, keepCase } from './base/fold-case.js'
import { createMatcher, requiredTitles } from './core/filter/expression.js'
import type { FilterLanguage, ListPlan, ListQuery } from './core/filter/filter-language.js'
import {
  type FilterSyntax,
  findAttribute,
  parseExpression,
} from './core/filter/parse-expression.js'
import { InvalidInputError } from './errors.js'
import { createSorter } from './filters/create-sorter.js'
import { createItemSyntax, createVaultSyntax } from './filters/syntax.js'

/**
 * The language of SCIM filters (RFC 7644, section 3.4.2.2) for items and vaults. With it, lists can
 * also be sorted, and can ignore the case of texts. The attributes and operators are in
 * [docs/filters.md](https://github.com/cofferkit/cofferkit/blob/main/docs/filters.md).
 */
export const extendedFilters: FilterLanguage = {
  planItems: (query) => createPlan(createItemSyntax(selectFold(query)), query),
  planVaults: (query) => createPlan(createVaultSyntax(selectFold(query)), query),
}

function createPlan<Result extends { readonly id: string }>(
  syntax: FilterSyntax<Result>,
  query: ListQuery,
): ListPlan<Result> {
  const { filter = '', maxWordLength, matchesIds } = query
  const { sortBy, sortOrder, limit, after } = query
  const expression = parseExpression(filter, syntax, maxWordLength)
  const plan: ListPlan<Result> = expression
    ? {
        titles: requiredTitles(expression),
        matches: createMatcher(expression, matchesIds),
      }
    : {}
  if (sortBy === undefined) {
    if (sortOrder === undefined) return plan
    throw InvalidInputError.at('sortOrder', 'needs sortBy')
  }
  if (after !== undefined) throw InvalidInputError.at('after', 'must not be combined with sortBy')
  const attribute = findAttribute(syntax.attributes, sortBy)
  if (attribute === undefined) throw InvalidInputError.at('sortBy', 'is not an attribute')
  const readKey = (result: Result) => attribute.read(result)[0]
  return { ...plan, sorter: createSorter(readKey, sortOrder === 'descending', limit) }
}

function selectFold({ ignoreCase = false }: ListQuery): Fold {
  return ignoreCase ? foldCase : keepCase
}
