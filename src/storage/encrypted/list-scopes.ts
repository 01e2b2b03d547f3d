/** Iterates over scopes, and over the records of the inner store. */

import { argumentError, kindOf } from '../../base/argument.js'
import { walkPages } from '../../base/walk-pages.js'
import type { ListedRecord, RecordStore } from '../../store.js'

const pageSize = 100

const expected = 'a list of strings'

/**
 * The kind of the option `scopes`. A single string is refused, because it would be read as its
 * characters.
 */
export const scopeList = kindOf<Iterable<string>>(
  expected,
  (value) => typeof value === 'object' && value !== null && Symbol.iterator in value,
)

/**
 * Yields the scopes of the option.
 * @throws TypeError if one is not a string.
 */
export async function* parseScopes(scopes: Iterable<string>): AsyncGenerator<string> {
  for (const scope of scopes) {
    if (typeof scope !== 'string') throw argumentError(scopes, 'options.scopes', expected)
    yield scope
  }
}

/**
 * Yields every record of a collection of the inner store. Once `signal` is aborted, throws its
 * reason before the next record.
 */
export async function* listInnerRecords(
  records: RecordStore,
  collection: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedRecord> {
  const list = walkPages((page) => records.list(collection, page), { limit: pageSize })
  for await (const record of list) {
    signal?.throwIfAborted()
    yield record
  }
}

/**
 * Calls `processScope` for each scope, one after the other, and resolves with the number of calls
 * that resolved with true. If calls reject, the other scopes are still processed, and the promise
 * rejects with the first error at the end.
 */
export async function countScopes(
  scopes: AsyncIterable<string>,
  processScope: (scope: string) => Promise<boolean>,
): Promise<number> {
  let count = 0
  const errors: unknown[] = []
  for await (const scope of scopes) {
    try {
      if (await processScope(scope)) count++
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return count
}
