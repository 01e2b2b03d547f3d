/** What a failure of SQLite is called here. */

import {
  isVaultError,
  StorageError,
  StorageUnavailableError,
  type VaultError,
} from '../../errors.js'
import { redactError } from '../../redact-error.js'
import { safeGet } from '../../safe-get.js'

/** Primary result codes of SQLite (sqlite.org/rescode.html), as far as an operator can do something about them. */
const codes: Readonly<Record<number, string>> = {
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

/** Another connection was in the way for longer than the busy timeout; later it may not be. */
const unavailable = ['SQLITE_BUSY', 'SQLITE_LOCKED', 'SQLITE_PROTOCOL']

/**
 * The error of this library that stands for `error`: itself if it is one, else a StorageError that names SQLite's
 * result code and repeats none of the driver's words. It is answered 503 if the database was locked, else 500.
 */
export function sqliteError(error: unknown): VaultError {
  if (isVaultError(error)) return error
  const name = codeOf(error)
  const cause = redactError(error)
  if (name !== undefined && unavailable.includes(name))
    return new StorageUnavailableError(`the database is locked (${name})`, { cause })
  return new StorageError(`the database failed${name === undefined ? '' : ` (${name})`}`, { cause })
}

/** What `work` answers. @throws VaultError whatever it throws. */
export function wrapSqliteErrors<Answer>(work: () => Answer): Answer {
  try {
    return work()
  } catch (error) {
    throw sqliteError(error)
  }
}

/** The primary code: node:sqlite has it as a number under `errcode`, better-sqlite3 as the start of `code`. */
function codeOf(error: unknown): string | undefined {
  const number = safeGet(error, 'errcode')
  if (typeof number === 'number') return codes[number & 255]
  const code = safeGet(error, 'code')
  return Object.values(codes).find(
    (name) => code === name || (typeof code === 'string' && code.startsWith(`${name}_`)),
  )
}
