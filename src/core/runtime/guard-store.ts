/** Makes every failure of a store the library's own error, so that no driver's words get out, and limits its time. */

import {
  isVaultError,
  StorageError,
  StorageUnavailableError,
  type VaultError,
} from '../../errors.js'
import { redactError } from '../../redact-error.js'
import type { BlobStore, VaultStore } from '../../store.js'
import { withTimeout } from '../../with-timeout.js'

/** How the calls of a store are guarded. */
export interface StoreGuard {
  /** Milliseconds until a call that has not settled has failed. */
  readonly timeoutMs: number
  /** The error that a call rejects with, whatever it failed with. */
  readonly failure: (reason: unknown) => VaultError
}

/** A store whose calls are guarded. */
export interface GuardedStore extends VaultStore {
  readonly guard: StoreGuard
  readonly blobs: GuardedBlobs
}

/** Contents of files, for a writer who can tell the store's time from the client's. */
export interface GuardedBlobs extends BlobStore {
  /** The store's time counts from `idleSince`, a moment of `performance.now()`; from the call if absent. */
  write(id: string, content: ReadableStream<Uint8Array>, idleSince?: () => number): Promise<void>
}

/**
 * A guard that gives each call so many milliseconds, 30,000 if absent. `failed` is called for each call that fails, unless
 * the content that the store was handed is why.
 * @throws RangeError if `timeoutMs` is not a number greater than 0.
 */
export function createStoreGuard(timeoutMs = 30_000, failed?: () => void): StoreGuard {
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0))
    throw new RangeError('storeTimeoutMs must be a number greater than 0')
  return {
    timeoutMs,
    failure(reason) {
      const own = ownError(reason, 'the store failed')
      if (own.status >= 500) failed?.()
      return own
    },
  }
}

/**
 * The same store, whose rejections are all of this library: its own unchanged, others as a StorageError, and one of 503
 * for a call that does not settle in time. Contents that fail while they are read are for the reader to guard.
 */
export function guardStore({ records, blobs }: VaultStore, guard: StoreGuard): GuardedStore {
  return {
    guard,
    records: {
      get: (key) => wrapStoreErrors(() => records.get(key), guard),
      put: (key, record, expectedVersion) =>
        wrapStoreErrors(() => records.put(key, record, expectedVersion), guard),
      delete: (key, expectedVersion) =>
        wrapStoreErrors(() => records.delete(key, expectedVersion), guard),
      list: (collection, page) => wrapStoreErrors(() => records.list(collection, page), guard),
    },
    blobs: {
      read: (id) => opened(() => blobs.read(id), guard),
      write: (id, content, idleSince) =>
        wrapStoreErrors(() => blobs.write(id, content), guard, idleSince),
      delete: (id) => wrapStoreErrors(() => blobs.delete(id), guard),
    },
  }
}

/**
 * Settles as `call` does, if that is in time. A call that is late may still have its effect.
 * @throws VaultError: its own unchanged, any other as a StorageError without its words, one of 503 if it is late.
 */
export function wrapStoreErrors<Result>(
  call: () => Promise<Result>,
  { timeoutMs, failure }: StoreGuard,
  idleSince?: () => number,
): Promise<Result> {
  return withTimeout(started(call), timeoutMs, timeoutError, { toError: failure, idleSince })
}

function started<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return Promise.resolve(call())
  } catch (error) {
    return Promise.reject(error)
  }
}

/** The content, if there is one. One that is late is cancelled. */
async function opened(read: () => ReturnType<BlobStore['read']>, guard: StoreGuard) {
  const found = started(read)
  try {
    return await wrapStoreErrors(() => found, guard)
  } catch (error) {
    found.then((content) => content?.cancel()).catch(() => {})
    throw error
  }
}

/** The error as it is, if it is of this library; else a StorageError that says `message` and nothing of its words. */
export function ownError(error: unknown, message: string): VaultError {
  return isVaultError(error) ? error : new StorageError(message, { cause: redactError(error) })
}

function timeoutError(): StorageError {
  return new StorageUnavailableError('the store did not respond in time')
}
