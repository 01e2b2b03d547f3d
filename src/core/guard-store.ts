/** Makes every failure of a store the library's own error, so that no driver's words get out. */

import { isVaultError, StorageError, withoutSecrets } from '../errors.js'
import type { VaultStore } from '../store.js'

/** The same store, whose rejections are all of this library: its own as they are, others as a StorageError. */
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

async function guarded<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throw isVaultError(error) ? error : new StorageError('the store failed', { cause: withoutSecrets(error) })
  }
}
