/** Classifies and converts errors of PostgreSQL drivers, including those wrapped by an ORM. */

import { redactError } from '../../base/redact-error.js'
import { safeGet } from '../../base/safe-get.js'
import { StorageError, StorageUnavailableError } from '../../errors.js'
import { isConnectionLost, listCauses, nodeErrorCode } from '../sql/driver-errors.js'

/**
 * Codes of statements that the server has rolled back: serialization failure and deadlock
 * (PostgreSQL manual, appendix A).
 */
const retryableCodes = /^(?:40001|40P01)$/

/** Codes of errors after which a later call may succeed. */
const unavailableCodes = [
  // Connections, resources, shutdown, timeouts, a read-only server, rolled-back transactions.
  /^(?:08...|53...|57014|57P0[1235]|55P03|25006|40...)$/,
  nodeErrorCode,
  // postgres.js
  /^CONNECT(?:ION)?_[A-Z_]+$/,
  // Prisma, and the kinds of its driver adapters' errors
  /^(?:P1001|P1002|P1008|P1017|P2024)$/,
  /^(?:DatabaseNotReachable|ConnectionClosed|SocketTimeout|TooManyConnections)$/,
]

const missingTable = '42P01'
const missingSchema = '3F000'

/** Members with a code. The code of the server comes last. */
const codeMembers = ['kind', 'code', 'originalCode'] as const

/** Returns true if the server rolled back the entire statement, so that it can be retried. */
export function isRetryable(error: unknown): boolean {
  return listErrorCodes(error).some(isRetryableCode)
}

/** Returns true for the code of a statement that the server has rolled back. */
export function isRetryableCode(code: string): boolean {
  return retryableCodes.test(code)
}

/** Returns all codes of the error and of those that it wraps, outermost first. May be empty. */
export function listErrorCodes(error: unknown): string[] {
  return listCauses(error)
    .flatMap((layer) => codeMembers.map((name) => safeGet(layer, name)))
    .filter((code) => typeof code === 'string')
}

/**
 * Converts an error of the driver into one that contains no message of the driver:
 * `STORAGE_UNAVAILABLE` (503) if a later call may succeed, otherwise `STORAGE_FAILED` (500). The
 * cause has the name of the error and its innermost code.
 */
export function toStorageError(error: unknown): StorageError {
  const codes = listErrorCodes(error)
  const cause = redactError({ name: safeGet(error, 'name'), code: codes.at(-1) })
  if (codes.includes(missingSchema))
    return new StorageError('the schema does not exist: create it first', { cause })
  if (codes.includes(missingTable))
    return new StorageError('the tables do not exist: run migratePostgres first', { cause })
  // A driver over WebSocket, such as Neon's, rejects with the event of a failed connection.
  const isUnavailable =
    codes.length === 0
      ? isConnectionLost(error) || safeGet(error, 'type') === 'error'
      : codes.some((code) => unavailableCodes.some((pattern) => pattern.test(code)))
  return isUnavailable
    ? new StorageUnavailableError('the database is not available', { cause })
    : new StorageError('the database failed', { cause })
}
