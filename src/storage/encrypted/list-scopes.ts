/** Iterates over scopes, and over the records of the inner store. */

import { walkPages } from '../../base/walk-pages.js'
import type { ListedRecord, RecordStore } from '../../store.js'

const pageSize = 100

/**
 * Returns an iterator over the option `scopes`, or undefined if the option is absent. The iterator
 * throws a TypeError if the option is not an iterable of strings. A single string is rejected too:
 * it would be read as its characters.
 */
export function parseScopes(scopes: unknown): AsyncGenerator<string> | undefined {
  return scopes === undefined ? undefined : requireScopes(scopes)
}

/** Like `parseScopes`, of an option that is required. */
export async function* requireScopes(scopes: unknown): AsyncGenerator<string> {
  if (!isIterableObject(scopes)) throw invalidScopesError()
  for (const scope of scopes) {
    if (typeof scope !== 'string') throw invalidScopesError()
    yield scope
  }
}

function isIterableObject(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

function invalidScopesError(): TypeError {
  return new TypeError('scopes must be a list of strings')
}

/**
 * Yields every record of a collection of the inner store. Throws the reason of `signal` before the
 * next record once it is aborted.
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
