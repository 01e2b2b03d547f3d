/** Plans how the results of a list are found, filtered and sorted. */

import { type Fold, foldCase, keepCase } from '../../base/fold-case.js'
import { InvalidInputError } from '../../errors.js'
import { createSorter, type ListSorter } from './create-sorter.js'
import { type AttributeTable, createMatcher, requiredTitles } from './expression.js'
import { parseExpression } from './parse-expression.js'

/** The input of a list, without the vault. */
export interface ListQuery {
  /** By default, and if it is blank, everything is listed. */
  readonly filter?: string | undefined
  /** True if strings that differ only in case are equal. */
  readonly ignoreCase?: boolean | undefined
  /** One of the attributes. */
  readonly sortBy?: string | undefined
  readonly sortOrder?: 'ascending' | 'descending' | undefined
  /** 1 to 1,000. Default: unlimited. */
  readonly limit?: number | undefined
  /** The id after which the list begins. */
  readonly after?: string | undefined
}

/** How the results of one list are found, filtered and sorted. */
export interface ListPlan<Result> {
  /**
   * Titles of items or names of vaults. Every match has one of them, in any case, or has it as its
   * id. Only records are read whose titles or names begin with the same 128 characters, in any
   * case, or that have one as their id. By default all records are read.
   */
  readonly titles?: ReadonlySet<string> | undefined
  /** Returns whether a result is listed. By default every result is listed. */
  readonly matches?: (result: Result) => Promise<boolean>
  /** Sorts the results. By default they are in ascending order of their ids. */
  readonly sorter?: ListSorter<Result>
}

/**
 * Parses the query of a list. The store is not read.
 * @param maxWordLength - How many characters a word of the filter can have.
 * @throws InvalidInputError if the filter is invalid, or there is `sortOrder` without `sortBy`, or
 * `after` with `sortBy`.
 */
export function planList<Result extends { readonly id: string }>(
  attributes: AttributeTable<Result>,
  { filter = '', ignoreCase, sortBy, sortOrder, limit, after }: ListQuery,
  maxWordLength: number,
): ListPlan<Result> {
  const fold: Fold = ignoreCase ? foldCase : keepCase
  const expression = parseExpression(filter, attributes, { fold, maxWordLength })
  const plan: ListPlan<Result> = expression
    ? { titles: requiredTitles(expression), matches: createMatcher(expression, fold) }
    : {}
  if (sortBy === undefined) {
    if (sortOrder === undefined) return plan
    throw InvalidInputError.at('sortOrder', 'needs sortBy')
  }
  if (after !== undefined) throw InvalidInputError.at('after', 'must not be combined with sortBy')
  const readKey = (result: Result) => {
    const key = attributes[sortBy]?.read(result)[0]
    return typeof key === 'string' ? fold(key) : key
  }
  return { ...plan, sorter: createSorter(readKey, sortOrder === 'descending', limit) }
}
