/** A store that fails when it is told to. */

import type { VaultStore } from '../index.js'

/** One call to a store. */
export interface StoreCall {
  readonly store: 'records' | 'blobs'
  readonly method: string
  /** How many calls came before this one, to either half. */
  readonly index: number
}

/**
 * How a call goes wrong: it fails and nothing happened, it fails though it happened, or, for `put` and `delete`, it is
 * refused as if somebody else had been faster. Undefined lets it go well.
 */
export type Fault = 'fail-before' | 'fail-after' | 'conflict' | undefined

/** The store, with the faults that `faultOf` chooses. Failing calls reject with `error`. */
export function createFaultyStore(
  { records, blobs }: VaultStore,
  faultOf: (call: StoreCall) => Fault,
  error: unknown = new Error('the store is out of order'),
): VaultStore {
  let index = 0
  const run = async <Result>(
    [store, method]: [StoreCall['store'], string],
    call: () => Promise<Result>,
    conflictResult?: Result,
  ): Promise<Result> => {
    const fault = faultOf({ store, method, index: index++ })
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
      list: (collection, page) => run(['records', 'list'], () => records.list(collection, page)),
    },
    blobs: {
      read: (id) => run(['blobs', 'read'], () => blobs.read(id)),
      write: (id, content) => run(['blobs', 'write'], () => blobs.write(id, content)),
      delete: (id) => run(['blobs', 'delete'], () => blobs.delete(id)),
    },
  }
}
