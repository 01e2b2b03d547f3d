/** Converts errors of SQLite drivers. */

import { redactError } from '../../base/redact-error.js'
import { safeGet } from '../../base/safe-get.js'
import {
  isVaultError,
  StorageError,
  StorageUnavailableError,
  type VaultError,
} from '../../errors.js'

/** Primary result codes of SQLite (sqlite.org/rescode.html) on which an operator can act. */
const resultCodes: Readonly<Record<number, string>> = {
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  18: 'SQLITE_TOOBIG',
  19: 'SQLITE_CONSTRAINT',
  26: 'SQLITE_NOTADB',
}

/** Another connection held the lock for longer than the busy timeout. A later call may succeed. */
const lockCodes = ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL']

/**
 * Converts an error of the driver. An error of this library is returned unchanged. Any other value
 * becomes a StorageError that names SQLite's result code and contains none of the driver's message:
 * `STORAGE_UNAVAILABLE` (503) if the database was locked, otherwise `STORAGE_FAILED` (500).
 */
export function toVaultError(error: unknown): VaultError {
  if (isVaultError(error)) return error
  const name = findResultCode(error)
  const cause = redactError(error)
  if (name !== undefined && lockCodes.includes(name))
    return new StorageUnavailableError(`the database is locked (${name})`, { cause })
  return new StorageError(`the database failed${name === undefined ? '' : ` (${name})`}`, { cause })
}

/**
 * Returns the result of `work`. @throws VaultError for anything that `work` throws (see
 * `toVaultError`).
 */
export function wrapSqliteErrors<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    throw toVaultError(error)
  }
}

/**
 * Returns the name of the primary result code, or undefined if it is not one of `resultCodes`.
 * node:sqlite has the code as the number `errcode`, better-sqlite3 and libSQL as the start of
 * `code`, and D1 in the message.
 */
export function findResultCode(error: unknown): string | undefined {
  const number = safeGet(error, 'errcode')
  if (typeof number === 'number') return resultCodes[number & 255]
  const code = safeGet(error, 'code') ?? findCodeOfD1(safeGet(error, 'message'))
  return Object.values(resultCodes).find(
    (name) => code === name || (typeof code === 'string' && code.startsWith(`${name}_`)),
  )
}

/** Returns the code in a message such as `D1_ERROR: UNIQUE constraint failed: …: SQLITE_CONSTRAINT`. */
function findCodeOfD1(message: unknown): string | undefined {
  const text = typeof message === 'string' && message.startsWith('D1_ERROR: ') ? message : ''
  return /: (SQLITE_[A-Z]{1,20})(?: \(|$)/.exec(text)?.[1]
}
