/** Runs every call to a store through a function. */

import { mapTransactions, passOnCanRollBack } from '../base/map-store.js'
import type { RecordKey, RecordStore, VaultStore } from '../index.js'

/** One call to a store. */
export interface StoreCall {
  readonly store: 'records' | 'blobs'
  /** The name of the method, such as `put`. */
  readonly method: string
  /** The collection of the record or the list. Not set for a blob. */
  readonly collection?: string
  /** The id of the record or the blob. Not set for a list. */
  readonly id?: string
  /**
   * Counts the calls of this method for this record, blob or list: 1 for the first one, 2 for the
   * second.
   */
  readonly nth: number
  /** The number of earlier calls to either half of the store. 0 for the first call. */
  readonly index: number
}

/**
 * Makes a call to the store, or settles instead of it.
 * @param call The call.
 * @param run Makes the call.
 * @param conflict What the method returns if a concurrent writer won. Undefined if the method has
 * no such result.
 */
export type InterceptCall = <Result>(
  call: StoreCall,
  run: () => Promise<Result>,
  conflict?: Result,
) => Promise<Result>

/**
 * Wraps a store so that `intercept` is called instead of each of its methods, also within a
 * transaction.
 */
export function interceptStore(
  { records, blobs }: VaultStore,
  intercept: InterceptCall,
): VaultStore {
  let index = 0
  const counts = new Map<string, number>()
  const run = <Result>(
    target: Omit<StoreCall, 'nth' | 'index'>,
    call: () => Promise<Result>,
    conflict?: Result,
  ): Promise<Result> => {
    const key = JSON.stringify(target)
    const nth = (counts.get(key) ?? 0) + 1
    counts.set(key, nth)
    return intercept({ ...target, nth, index: index++ }, call, conflict)
  }
  const interceptRecords = (target: RecordStore): RecordStore => ({
    get: (key) => run(recordCall('get', key), () => target.get(key)),
    put: (key, record, expectedVersion) =>
      run(recordCall('put', key), () => target.put(key, record, expectedVersion), false),
    delete: (key, expectedVersion) =>
      run(recordCall('delete', key), () => target.delete(key, expectedVersion), false),
    list: (collection, query) =>
      run({ store: 'records', method: 'list', collection }, () => target.list(collection, query)),
  })
  return {
    records: {
      ...interceptRecords(records),
      ...passOnCanRollBack(records),
      ...mapTransactions(records, interceptRecords),
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
