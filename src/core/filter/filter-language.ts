/** The language of the filters of lists, and the order of their results. */

import type { ItemSummary } from '../../schema/item.js'
import type { Vault } from '../../schema/vault.js'

/**
 * The language of the filters of `listItems` and `listVaults`. It parses the queries of these
 * operations; it does not access the store. Secret references need `title eq "..."` and `ignoreCase`
 * of it.
 */
export interface FilterLanguage {
  /** Returns the plan of `listItems`. @throws InvalidInputError if the query is invalid. */
  planItems(query: ListQuery): ListPlan<ItemSummary>
  /** Returns the plan of `listVaults`. @throws InvalidInputError if the query is invalid. */
  planVaults(query: ListQuery): ListPlan<Vault>
}

/** The input of a list, without the vault. */
export interface ListQuery {
  /** At most 4,096 characters. Everything matches if absent or blank. */
  readonly filter?: string | undefined
  /** The characters that a word of the filter can have, which is the text between two quotes. */
  readonly maxWordLength: number
  /** True if texts that differ only in case are equal. */
  readonly ignoreCase?: boolean | undefined
  readonly sortBy?: string | undefined
  readonly sortOrder?: 'ascending' | 'descending' | undefined
  /** 1 to 1,000; unlimited if absent. */
  readonly limit?: number | undefined
  /** The id after which the list begins. */
  readonly after?: string | undefined
  /** True if `eq` on a title or a name also matches an id. */
  readonly matchesIds?: boolean | undefined
}

/** How the results of one list are found, filtered and sorted. */
export interface ListPlan<Result> {
  /**
   * Titles of items, or names of vaults, of which every match has one, in any case, or as its id if
   * the query matches ids. Only records whose titles or names begin with the same 128 characters, in
   * any case, or that have one as their id, are read. All records by default.
   */
  readonly titles?: ReadonlySet<string> | undefined
  /** Returns whether a result is listed. Every result is listed if absent. */
  readonly matches?: (result: Result) => boolean | Promise<boolean>
  /** Sorts the results. They are in ascending order of their ids if absent. */
  readonly sorter?: ListSorter<Result>
}

/** Collects the results of one list and sorts them. */
export interface ListSorter<Result> {
  /** Adds a result. Ignores one whose id has been added already. */
  add(result: Result): void
  /** Returns the results in their order: the first `limit` of the query. */
  sort(): Promise<readonly Result[]>
}
