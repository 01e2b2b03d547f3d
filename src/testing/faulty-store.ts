/** A store whose calls can be made to fail. */

import { anyFunction, anyStore, assertLike } from '../assert-argument.js'
import type { RecordKey, VaultStore } from '../index.js'

/** One call to a store. */
export interface StoreCall {
  readonly store: 'records' | 'blobs'
  /** The name of the method, such as `put`. */
  readonly method: string
  /** The collection of the record, or of the list; absent for a blob. */
  readonly collection?: string
  /** The id of the record or the blob; absent for a list. */
  readonly id?: string
  /**
   * Counts the calls of this method for this record, blob or list: 1 for the first one, 2 for the
   * second.
   */
  readonly nth: number
  /** The number of earlier calls to either half of the store; 0 for the first call. */
  readonly index: number
}

/**
 * The way in which a call fails:
 * - `fail-before`: rejects, and nothing happened
 * - `fail-after`: rejects, although it happened
 * - `conflict`: returns `false`, as if a concurrent writer had won; only for `put` and `delete` of
 *   records, every other call succeeds
 * - `undefined`: the call succeeds
 */
export type Fault = 'fail-before' | 'fail-after' | 'conflict' | undefined

/**
 * Wraps a store so that the calls chosen by `faultOf` fail.
 * @param faultOf Called once before every call to the store.
 * @param error The error that failing calls reject with.
 * @throws TypeError if `store` is not a store, or `faultOf` is not a function.
 */
export function createFaultyStore(
  store: VaultStore,
  faultOf: (call: StoreCall) => Fault,
  error: unknown = new Error('the store fails'),
): VaultStore {
  assertLike(store, anyStore, 'store')
  assertLike(faultOf, anyFunction, 'faultOf')
  const { records, blobs } = store
  let index = 0
  const counts = new Map<string, number>()
  const run = async <Result>(
    target: Omit<StoreCall, 'nth' | 'index'>,
    call: () => Promise<Result>,
    conflictResult?: Result,
  ): Promise<Result> => {
    const key = JSON.stringify(target)
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    const fault = faultOf({ ...target, nth, index: index++ })
    if (fault === 'fail-before') throw error
    if (fault === 'conflict' && conflictResult !== undefined) return conflictResult
    const result = await call()
    if (fault === 'fail-after') throw error
    return result
  }
  return {
    records: {
      get: (key) => run(recordCall('get', key), () => records.get(key)),
      put: (key, record, expectedVersion) =>
        run(recordCall('put', key), () => records.put(key, record, expectedVersion), false),
      delete: (key, expectedVersion) =>
        run(recordCall('delete', key), () => records.delete(key, expectedVersion), false),
      list: (collection, query) =>
        run({ store: 'records', method: 'list', collection }, () =>
          records.list(collection, query),
        ),
    },
    blobs: {
      read: (id) => run({ store: 'blobs', method: 'read', id }, () => blobs.read(id)),
      write: (id, content) =>
        run({ store: 'blobs', method: 'write', id }, () => blobs.write(id, content)),
      delete: (id) => run({ store: 'blobs', method: 'delete', id }, () => blobs.delete(id)),
    },
  }
}

function recordCall(
  method: string,
  { collection, id }: RecordKey,
): Omit<StoreCall, 'nth' | 'index'> {
  return { store: 'records', method, collection, id }
}
