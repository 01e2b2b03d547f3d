/** Rejects the calls of a store that was closed. */

import { StorageError } from '../../errors.js'
import type { VaultStore } from '../../store.js'

/** A store, and a function after which all of its calls reject. */
export interface Closable {
  readonly store: VaultStore
  end(): void
}

/**
 * Wraps a store, so that it does not depend on what the driver does with a closed database: libSQL
 * still runs the statements that were prepared.
 */
export function createClosable({ records, blobs }: VaultStore): Closable {
  let isClosed = false
  const whileOpen =
    <Values extends unknown[], Result>(call: (...values: Values) => Promise<Result>) =>
    (...values: Values): Promise<Result> =>
      isClosed ? Promise.reject(new StorageError('the store is closed')) : call(...values)
  return {
    store: {
      records: {
        get: whileOpen(records.get),
        put: whileOpen(records.put),
        delete: whileOpen(records.delete),
        list: whileOpen(records.list),
      },
      blobs: {
        read: whileOpen(blobs.read),
        write: whileOpen(blobs.write),
        delete: whileOpen(blobs.delete),
      },
    },
    end: () => {
      isClosed = true
    },
  }
}
