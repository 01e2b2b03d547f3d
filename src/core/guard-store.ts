/** Makes every failure of a store the library's own error, so that no driver's words get out. */

import { isVaultError, StorageError } from '../errors.js'
import type { VaultStore } from '../store.js'
import { withoutSecrets } from '../without-secrets.js'

/**
 * The same store, whose rejections are all of this library: its own as they are, others as a StorageError. Contents that
 * fail while they are read are for the reader to guard.
 */
export function guardStore({ records, blobs }: VaultStore): VaultStore {
  return {
    records: {
      get: (key) => guarded(() => records.get(key)),
      put: (key, record, seen) => guarded(() => records.put(key, record, seen)),
      delete: (key, seen) => guarded(() => records.delete(key, seen)),
      list: (collection, page) => guarded(() => records.list(collection, page)),
    },
    blobs: {
      read: (id) => guarded(() => blobs.read(id)),
      write: (id, content) => guarded(() => blobs.write(id, content)),
      delete: (id) => guarded(() => blobs.delete(id)),
    },
  }
}

/** What `call` answers. @throws VaultError: its own as it is, any other as a StorageError without its words. */
export async function guarded<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throw isVaultError(error)
      ? error
      : new StorageError('the store failed', { cause: withoutSecrets(error) })
  }
}
