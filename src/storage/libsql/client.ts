/** Describes an asynchronous client of SQLite, runs its statements and converts its errors. */

import { redactError } from '../../base/redact-error.js'
import { safeGet } from '../../base/safe-get.js'
import {
  isVaultError,
  StorageError,
  StorageUnavailableError,
  type VaultError,
} from '../../errors.js'
import { retryStatement } from '../sql/retry.js'
import { findResultCode, toVaultError } from '../sql/sqlite-errors.js'

/**
 * The members that the store uses of a client of `@libsql/client`. Every call is a transaction of
 * its own. In the result, text is a string, an integer a number or a bigint, and a blob an
 * ArrayBuffer, a Uint8Array or an array of numbers.
 */
export interface LibsqlClient {
  /** Runs one statement. */
  execute(statement: LibsqlStatement): Promise<LibsqlResult>
  /** Runs the statements in one transaction. If one fails, none has an effect. */
  batch(statements: LibsqlStatement[], mode: 'write'): Promise<unknown>
}

/** A statement, and the values of its question marks in their order. */
export interface LibsqlStatement {
  sql: string
  args: LibsqlValue[]
}

/** A value that is bound to a parameter. */
export type LibsqlValue = string | number | Uint8Array | null

/** The result of a statement. */
export interface LibsqlResult {
  /** One object per row, with one member per column. */
  readonly rows: readonly unknown[]
}

/** Runs statements. Both functions reject with a StorageError: `toStorageError`. */
export interface Runner {
  /** Resolves with the rows of one statement. */
  query(sql: string, ...args: LibsqlValue[]): Promise<readonly unknown[]>
  /** Runs statements in one transaction. */
  batch(...statements: (readonly [sql: string, ...args: LibsqlValue[]])[]): Promise<void>
}

/**
 * Creates a runner on the client. A call that found the database locked has had no effect, and is
 * retried at most nine times within `busyTimeoutMs` milliseconds. No other call is retried.
 */
export function createRunner(client: LibsqlClient, busyTimeoutMs: number): Runner {
  const retry = { canRetry: isBusy, toError: toStorageError, maxTotalMs: busyTimeoutMs }
  return {
    async query(sql, ...args) {
      const { rows } = await retryStatement(() => client.execute({ sql, args }), retry)
      if (!Array.isArray(rows)) throw new StorageError('the client returned no rows')
      return rows
    },
    async batch(...statements) {
      const list = statements.map(([sql, ...args]) => ({ sql, args }))
      await retryStatement(() => client.batch(list, 'write'), retry)
    },
  }
}

/** Messages of clients, which have no code for a lost connection or an overloaded server. */
const unavailableMessage =
  /fetch failed|connection|connect E|overloaded|\breset\b|timed? ?out|HTTP status (?:429|5\d\d)/i

/** Returns true if another connection held the lock, so that the call has had no effect. */
function isBusy(error: unknown): boolean {
  return findResultCode(error) === 'SQLITE_BUSY'
}

/**
 * Converts an error of the client into one that contains no message of the client. An error of this
 * library is returned unchanged. `STORAGE_UNAVAILABLE` (503) if the database was locked or out of
 * reach, else `STORAGE_FAILED` (500).
 */
function toStorageError(error: unknown): VaultError {
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
