/** Converts errors of asynchronous clients of SQLite. */

import {
  isVaultError,
  StorageError,
  StorageUnavailableError,
  type VaultError,
} from '../../errors.js'
import { redactError } from '../../redact-error.js'
import { safeGet } from '../../safe-get.js'
import { findResultCode, toVaultError } from '../sql/sqlite-errors.js'

/** Messages of clients, which have no code for a lost connection or an overloaded server. */
const unavailableMessage =
  /fetch failed|connection|connect E|overloaded|\breset\b|timed? ?out|HTTP status (?:429|5\d\d)/i

/** Returns true if another connection held the lock, so that the call has had no effect. */
export function isBusy(error: unknown): boolean {
  return findResultCode(error) === 'SQLITE_BUSY'
}

/**
 * Converts an error of the client into one that contains no message of the client. An error of this
 * library is returned unchanged. `STORAGE_UNAVAILABLE` (503) if the database was locked or out of
 * reach, else `STORAGE_FAILED` (500).
 */
export function toStorageError(error: unknown): VaultError {
  if (isVaultError(error)) return error
  const name = findResultCode(error)
  const cause = redactError(error)
  // The unique index of complete blobs is the only constraint that a statement can violate.
  if (name === 'SQLITE_CONSTRAINT')
    return new StorageError('a blob with this id already exists', { cause })
  if (name === undefined && unavailableMessage.test(String(safeGet(error, 'message'))))
    return new StorageUnavailableError('the database is not available', { cause })
  return toVaultError(error)
}
