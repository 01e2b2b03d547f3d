/** Classifies and converts errors of MySQL drivers, including those that wrap another one. */

import { redactError } from '../../base/redact-error.js'
import { safeGet } from '../../base/safe-get.js'
import {
  isVaultError,
  StorageError,
  StorageUnavailableError,
  type VaultError,
} from '../../errors.js'
import { isConnectionLost, listCauses, nodeErrorCode } from '../sql/driver-errors.js'

/**
 * Numbers of errors after which the server has rolled back the entire statement: the record has
 * changed since it was read (MariaDB, `innodb_snapshot_isolation`), lock wait timeout, deadlock.
 */
const retryable = [1020, 1205, 1213]

const tableExists = 1050
const duplicateKey = 1062
const unknownVariable = 1193
const inTransaction = 1568

const noDatabase = 1046
const missingDatabase = 1049
const missingTable = 1146

/** The error of the server, and the error of the driver mariadb. */
const packetTooLarge = [1153, 45046]

/** Numbers of errors after which a later call may succeed. */
const unavailable = [
  ...retryable,
  // Connections and resources: too many connections, memory, disk, threads, locks, a user's limits.
  ...[1021, 1037, 1038, 1040, 1041, 1114, 1129, 1135, 1203, 1206, 1226, 1461],
  // A lost connection, a shutdown, a killed connection or statement, a timeout.
  ...[1053, 1152, 1158, 1159, 1160, 1161, 1184, 1317, 1927, 1969, 3024, 3169, 4031],
  // Read-only servers, and nodes of a cluster that are not ready or have rolled back a transaction.
  ...[1047, 1290, 1792, 1836, 3100, 3101],
  // The driver mariadb: connections and pools that are closed, lost, too slow or exhausted.
  ...[45001, 45004, 45009, 45012, 45013, 45019, 45026, 45027, 45028, 45035, 45037, 45042],
  ...[45060, 45061],
]

/** Codes of drivers' errors after which a later call may succeed. */
const unavailableCodes = [nodeErrorCode, /^(?:PROTOCOL_CONNECTION_LOST|PROTOCOL_SEQUENCE_TIMEOUT)$/]

/** Returns true if the server rolled back the entire statement, so that it can be retried. */
export function isRetryable(error: unknown): boolean {
  return hasNumber(error, retryable)
}

/** Like `isRetryable`, but also true if another process was creating the same table. */
export function isRetryableMigration(error: unknown): boolean {
  return hasNumber(error, [...retryable, tableExists])
}

/** Returns true if a row with the same primary key exists. */
export function isDuplicateKey(error: unknown): boolean {
  return hasNumber(error, [duplicateKey])
}

/** Returns true if the server does not know the variable. */
export function isUnknownVariable(error: unknown): boolean {
  return hasNumber(error, [unknownVariable])
}

/** Returns true if a statement was rejected because it must not run in a transaction. */
export function isInTransaction(error: unknown): boolean {
  return hasNumber(error, [inTransaction])
}

/** The error for a statement with more bytes than the server accepts. */
export function packetTooLargeError(cause?: Error): StorageError {
  const message = 'a record or chunk is larger than max_allowed_packet of the server permits'
  return new StorageError(message, { cause })
}

/**
 * Converts an error of the driver into one that contains no message of the driver:
 * `STORAGE_UNAVAILABLE` (503) if a later call may succeed, otherwise `STORAGE_FAILED` (500). The
 * cause has the name of the error and its innermost code. An error of this library is returned
 * unchanged.
 */
export function toVaultError(error: unknown): VaultError {
  if (isVaultError(error)) return error
  const codes = listCauses(error)
    .map((layer) => safeGet(layer, 'code'))
    .filter((code) => typeof code === 'string')
  const cause = redactError({ name: safeGet(error, 'name'), code: codes.at(-1) })
  if (hasNumber(error, [noDatabase]))
    return new StorageError('no database is selected: set the option database', { cause })
  if (hasNumber(error, [missingDatabase]))
    return new StorageError('the database does not exist: create it first', { cause })
  if (hasNumber(error, [missingTable]))
    return new StorageError('the tables do not exist: run migrateMysql first', { cause })
  if (hasNumber(error, packetTooLarge)) return packetTooLargeError(cause)
  const isUnavailable =
    codes.length === 0
      ? isConnectionLost(error)
      : hasNumber(error, unavailable) ||
        codes.some((code) => unavailableCodes.some((pattern) => pattern.test(code)))
  return isUnavailable
    ? new StorageUnavailableError('the database is not available', { cause })
    : new StorageError('the database failed', { cause })
}

function hasNumber(error: unknown, numbers: readonly number[]): boolean {
  return listCauses(error).some((layer) => {
    const number = safeGet(layer, 'errno')
    return typeof number === 'number' && numbers.includes(number)
  })
}
