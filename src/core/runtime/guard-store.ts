/**
 * Wraps a store: its errors become errors of the library, without the messages of a driver, and its
 * calls have a timeout.
 */

import { limit } from '../../base/argument.js'
import { releaseContent } from '../../base/blob-content.js'
import { mapStore } from '../../base/map-store.js'
import { optional } from '../../base/options.js'
import { redactError } from '../../base/redact-error.js'
import { type TimeoutOptions, withTimeout } from '../../base/with-timeout.js'
import {
  isVaultError,
  StorageError,
  StorageUnavailableError,
  type VaultError,
} from '../../errors.js'
import type { BlobContent, BlobStore, VaultStore } from '../../store.js'

/** The timeout and the error handling of a store's calls. */
export interface StoreGuard {
  /** How long a call may take, or Infinity for no limit. */
  readonly timeoutMs: number
  /** Converts the reason for a rejection into an error of the library, and reports it. */
  readonly toError: (reason: unknown) => VaultError
}

/** A wrapped store. */
export interface GuardedStore extends VaultStore {
  readonly guard: StoreGuard
  readonly blobs: GuardedBlobs
}

/** A blob store whose timeout does not include waiting for the content. */
interface GuardedBlobs extends BlobStore {
  /**
   * The timeout starts at the time that `idleSince` returns, by the clock of `performance.now()`.
   * By default it starts at the call.
   */
  write(id: string, content: BlobContent, idleSince?: () => number): Promise<void>
}

/** The kind of the option `storeTimeoutMs`. */
export const storeTimeoutMs = optional(limit({ min: 1 }), 30_000)

/**
 * Creates a guard.
 * @param timeoutMs - How long each call may take.
 * @param onError - Called for each call that fails with a status of 500 or more, except a write
 * whose content fails.
 */
export function createStoreGuard(timeoutMs: number, onError?: () => void): StoreGuard {
  return {
    timeoutMs,
    toError(reason) {
      const error = toVaultError(reason, 'the store failed')
      if (error.status >= 500) onError?.()
      return error
    },
  }
}

/**
 * Wraps a store. Errors of the library pass through unchanged, other errors become a StorageError,
 * and calls that do not settle in time fail with StorageUnavailableError (503). The chunks that
 * `blobs.read` returns are not wrapped.
 */
export function guardStore(store: VaultStore, guard: StoreGuard): GuardedStore {
  const { records, blobs } = mapStore(store, (run) => wrapStoreErrors(run, guard))
  return {
    guard,
    records,
    blobs: {
      ...blobs,
      read: (id) =>
        wrapStoreErrors(() => store.blobs.read(id), guard, {
          onLate: (content) => releaseContent(content),
        }),
      write: (id, content, idleSince) =>
        wrapStoreErrors(() => store.blobs.write(id, content), guard, { idleSince }),
    },
  }
}

/**
 * Calls a store and settles as the call does. A call that times out may still take effect.
 * @throws VaultError, as converted by the guard.
 * @throws StorageUnavailableError (503) after the timeout.
 */
export function wrapStoreErrors<Result>(
  call: () => Promise<Result>,
  guard: StoreGuard,
  options?: Omit<TimeoutOptions<Result>, 'toError'>,
): Promise<Result> {
  let called: Promise<Result>
  try {
    called = Promise.resolve(call())
  } catch (error) {
    called = Promise.reject(error)
  }
  const { timeoutMs, toError } = guard
  return withTimeout(called, timeoutMs, timeoutError, options ? { ...options, toError } : guard)
}

/**
 * Returns an error of the library unchanged, and any other as a StorageError with this message. The
 * original error is redacted, because it may contain stored data.
 */
export function toVaultError(error: unknown, message: string): VaultError {
  return isVaultError(error) ? error : new StorageError(message, { cause: redactError(error) })
}

function timeoutError(): StorageError {
  return new StorageUnavailableError('the store did not respond in time')
}
