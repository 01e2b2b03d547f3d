/** Walks through scopes: those that the caller names, or all that have keys. */

import type { ListedRecord, RecordStore } from '../../store.js'
import { walkPages } from '../../walk-pages.js'
import { ringCollection } from './keys/key-ring.js'

const pageSize = 100

/**
 * The option `scopes`, checked while it is read; undefined if it is absent.
 * @throws TypeError, when it is iterated, if it is not a list of texts. One text would be read as its characters.
 */
export function scopesOf(scopes: unknown): AsyncGenerator<string> | undefined {
  return scopes === undefined ? undefined : checkedScopes(scopes)
}

async function* checkedScopes(scopes: unknown): AsyncGenerator<string> {
  if (!isIterable(scopes)) throw new TypeError('scopes must be a list of scopes')
  for (const scope of scopes) {
    if (typeof scope !== 'string') throw new TypeError('scopes must be a list of scopes')
    yield scope
  }
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}

/** Every scope that has a ring. */
export async function* scopesWithKeys(records: RecordStore): AsyncGenerator<string> {
  for await (const { id } of rowsOf(records, ringCollection)) yield id
}

/** Every record of a collection of the inner store. */
export async function* rowsOf(
  records: RecordStore,
  collection: string,
  signal?: AbortSignal,
): AsyncGenerator<ListedRecord> {
  for await (const row of walkPages((page) => records.list(collection, page), {
    limit: pageSize,
  })) {
    signal?.throwIfAborted()
    yield row
  }
}

/**
 * For how many of the scopes `work` resolves with true. A scope that fails does not keep the others from being done.
 * Rejects with the first error of `work` after that.
 */
export async function countScopes(
  scopes: AsyncIterable<string>,
  work: (scope: string) => Promise<boolean>,
): Promise<number> {
  let done = 0
  const errors: unknown[] = []
  for await (const scope of scopes) {
    try {
      if (await work(scope)) done++
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return done
}
