/** A store whose calls can be made to fail. */

import { anyFunction, anyStore, assertLike } from '../assert-argument.js'
import type { VaultStore } from '../index.js'

/** One call to a store. */
export interface StoreCall {
  readonly store: 'records' | 'blobs'
  /** The name of the method, such as `put`. */
  readonly method: string
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
  const run = async <Result>(
    [half, method]: [StoreCall['store'], string],
    call: () => Promise<Result>,
    conflictResult?: Result,
  ): Promise<Result> => {
    const fault = faultOf({ store: half, method, index: index++ })
    if (fault === 'fail-before') throw error
    if (fault === 'conflict' && conflictResult !== undefined) return conflictResult
    const result = await call()
    if (fault === 'fail-after') throw error
    return result
  }
  return {
    records: {
      get: (key) => run(['records', 'get'], () => records.get(key)),
      put: (key, record, expectedVersion) =>
        run(['records', 'put'], () => records.put(key, record, expectedVersion), false),
      delete: (key, expectedVersion) =>
        run(['records', 'delete'], () => records.delete(key, expectedVersion), false),
      list: (collection, query) => run(['records', 'list'], () => records.list(collection, query)),
    },
    blobs: {
      read: (id) => run(['blobs', 'read'], () => blobs.read(id)),
      write: (id, content) => run(['blobs', 'write'], () => blobs.write(id, content)),
      delete: (id) => run(['blobs', 'delete'], () => blobs.delete(id)),
    },
  }
}
