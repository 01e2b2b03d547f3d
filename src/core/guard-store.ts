/** Makes every failure of a store the library's own error, so that no driver's words get out. */

import { isVaultError, StorageError, type VaultError } from '../errors.js'
import type { VaultStore } from '../store.js'
import { withoutSecrets } from '../without-secrets.js'

/** Told of each call of a store that fails, unless the content it was handed is why. */
type Failed = () => void

/**
 * The same store, whose rejections are all of this library: its own as they are, others as a StorageError. Contents that
 * fail while they are read are for the reader to guard.
 */
export function guardStore({ records, blobs }: VaultStore, failed?: Failed): VaultStore {
  return {
    records: {
      get: (key) => guarded(() => records.get(key), failed),
      put: (key, record, seen) => guarded(() => records.put(key, record, seen), failed),
      delete: (key, seen) => guarded(() => records.delete(key, seen), failed),
      list: (collection, page) => guarded(() => records.list(collection, page), failed),
    },
    blobs: {
      read: (id) => guarded(() => blobs.read(id), failed),
      write: (id, content) => guarded(() => blobs.write(id, content), failed),
      delete: (id) => guarded(() => blobs.delete(id), failed),
    },
  }
}

/** What `call` answers. @throws VaultError: its own as it is, any other as a StorageError without its words. */
export async function guarded<Result>(
  call: () => Promise<Result>,
  failed?: Failed,
): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    const own = ownError(error, 'the store failed')
    if (own.status >= 500) failed?.()
    throw own
  }
}

/** The error as it is, if it is of this library; else a StorageError that says `message` and nothing of its words. */
export function ownError(error: unknown, message: string): VaultError {
  return isVaultError(error) ? error : new StorageError(message, { cause: withoutSecrets(error) })
}
