/** The filters of the contract: `eq` and `co` on titles and tags, without an order of results. */

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

/** Texts are compared with case. */
const text = {
  operators: ['eq', 'co'],
  expectedValue: 'must have values in double quotes',
  parse: (value, isQuoted) => (isQuoted ? value : undefined),
} as const satisfies Omit<Attribute<never>, 'read'>

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
export const itemSyntax = /* @__PURE__ */ createItemSyntax()

/** The syntax of filters of vaults. */
export const vaultSyntax = /* @__PURE__ */ createVaultSyntax()

/** The language of a service without the option `filters`. */
export const contractFilters: FilterLanguage = {
  planItems: (query) => createPlan(itemSyntax, query),
  planVaults: (query) => createPlan(vaultSyntax, query),
}

function createPlan<Result extends { readonly id: string }>(
  syntax: FilterSyntax<Result>,
  query: ListQuery,
): ListPlan<Result> {
  for (const name of ['ignoreCase', 'sortBy', 'sortOrder'] as const)
    if (query[name]) throw InvalidInputError.at(name, 'needs the option filters of the service')
  const expression = parseExpression(query.filter ?? '', syntax, query.maxWordLength)
  if (expression === undefined) return {}
  return {
    titles: requiredTitles(expression),
    matches: createMatcher(expression, query.matchesIds),
  }
}

function createItemSyntax(): FilterSyntax<ItemSummary> {
  const title: Attribute<ItemSummary> = {
    ...text,
    isIndexed: true,
    read: (item) => (item.title === undefined ? [] : [item.title]),
  }
  const tag: Attribute<ItemSummary> = { ...text, read: (item) => item.tags }
  const attributes = new Map([
    ['title', title],
    ['name', title],
    ['tag', tag],
  ])
  return { ...syntax, attributes }
}

function createVaultSyntax(): FilterSyntax<Vault> {
  const name: Attribute<Vault> = { ...text, isIndexed: true, read: (vault) => [vault.name] }
  const attributes = new Map([
    ['title', name],
    ['name', name],
  ])
  return { ...syntax, attributes }
}
