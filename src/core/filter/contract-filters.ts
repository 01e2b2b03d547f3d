/** The filters of the contract: `eq` and `co` on titles and tags, without an order of results. */

import { type Fold, foldCase, keepCase } from '../../base/fold-case.js'
import { InvalidInputError } from '../../errors.js'
import type { ItemSummary } from '../../schema/item.js'
import type { Vault } from '../../schema/vault.js'
import { type Attribute, createMatcher, requiredTitles } from './expression.js'
import type { FilterLanguage, ListPlan, ListQuery } from './filter-language.js'
import {
  type FilterMessages,
  type FilterSyntax,
  joinNames,
  parseExpression,
} from './parse-expression.js'

/**
 * Any attribute and operator of RFC 7644 can follow the quote, so that unsupported ones are rejected
 * instead of becoming part of the value. The pattern looks no further than the next quote.
 */
const closingQuote =
  /"(?=[\s)]*(?:$|(?:and|or)(?=[\s(])[\s(]*[\w.]+\s+(?:eq|ne|co|sw|ew|gt|ge|lt|le)\s*"))\s*/iy

const messages: FilterMessages = {
  namesPosition: false,
  attribute: (names) => `must compare ${joinNames(names)}`,
  operator: (names) => `must compare with ${joinNames(names)}`,
  closingQuote: 'must close the quotes of every value',
  closingParenthesis: 'has an invalid format',
  continuation: 'has an invalid format',
  character: 'has an invalid format',
}

const syntax = { hasNot: false, closingQuote, messages }

/** The syntax of filters of items. An item without a title matches no comparison of `title`. */
export const itemSyntax = /* @__PURE__ */ createItemSyntax(keepCase)
const caselessItemSyntax = /* @__PURE__ */ createItemSyntax(foldCase)

/** The syntax of filters of vaults. */
export const vaultSyntax = /* @__PURE__ */ createVaultSyntax(keepCase)
const caselessVaultSyntax = /* @__PURE__ */ createVaultSyntax(foldCase)

/** The language of a service without the option `filters`. Texts are compared with case by default. */
export const contractFilters: FilterLanguage = {
  planItems: (query) => createPlan(query.ignoreCase ? caselessItemSyntax : itemSyntax, query),
  planVaults: (query) => createPlan(query.ignoreCase ? caselessVaultSyntax : vaultSyntax, query),
}

function createPlan<Result extends { readonly id: string }>(
  syntax: FilterSyntax<Result>,
  query: ListQuery,
): ListPlan<Result> {
  for (const name of ['sortBy', 'sortOrder'] as const)
    if (query[name]) throw InvalidInputError.at(name, 'needs the option filters of the service')
  const expression = parseExpression(query.filter ?? '', syntax, query.maxWordLength)
  if (expression === undefined) return {}
  return {
    titles: requiredTitles(expression),
    matches: createMatcher(expression, query.matchesIds),
  }
}

function createItemSyntax(fold: Fold): FilterSyntax<ItemSummary> {
  const text = createTextKind(fold)
  const title: Attribute<ItemSummary> = {
    ...text,
    isIndexed: true,
    read: (item) => (item.title === undefined ? [] : [fold(item.title)]),
  }
  const tag: Attribute<ItemSummary> = { ...text, read: (item) => item.tags.map(fold) }
  const attributes = new Map([
    ['title', title],
    ['name', title],
    ['tag', tag],
  ])
  return { ...syntax, attributes }
}

function createVaultSyntax(fold: Fold): FilterSyntax<Vault> {
  const text = createTextKind(fold)
  const name: Attribute<Vault> = { ...text, isIndexed: true, read: (vault) => [fold(vault.name)] }
  const attributes = new Map([
    ['title', name],
    ['name', name],
  ])
  return { ...syntax, attributes }
}

/** Returns how texts are compared and parsed. */
function createTextKind(fold: Fold): Omit<Attribute<never>, 'read' | 'isIndexed'> {
  return {
    operators: ['eq', 'co'],
    expectedValue: 'must have values in double quotes',
    parse: (value, isQuoted) => (isQuoted ? fold(value) : undefined),
  }
}
