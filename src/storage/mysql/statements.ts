/**
 * Describes a MySQL driver, and runs its statements. Those that the server has rolled back are
 * retried.
 */

import { safeGet } from '../../base/safe-get.js'
import { StorageError, StorageUnavailableError } from '../../errors.js'
import { retryStatement } from '../sql/retry.js'
import { getCount } from '../sql/row.js'
import {
  isDuplicateKey,
  isInTransaction,
  isRetryable,
  isUnknownVariable,
  packetTooLargeError,
  toVaultError,
} from './errors.js'
import type { TableNames } from './tables.js'

/**
 * A pool, or a connection that is not in a transaction: the part of `Pool` and `Connection` of
 * `mysql2/promise` and `mariadb` that the store uses.
 */
export interface MysqlClient {
  /**
   * Runs one statement as a prepared one, which commits by itself. `values` are its parameters `?`:
   * bytes (as `Buffer`), strings, numbers or null. Resolves with the result in either driver's
   * form: `[rows, fields]` or `rows` for a statement that reads, `[header]` or `header` for one
   * that writes. A row has one member per column: binary columns are Uint8Arrays, integers are
   * numbers, bigints or strings. A header has `affectedRows`.
   */
  execute(text: string, values: MysqlValue[]): Promise<unknown>
}

/** A parameter of a statement. */
export type MysqlValue = Uint8Array | string | number | null

/** A statement that waits for a lock is not repeated after this time. */
const maxTotalMs = 5_000
/** The bytes of a packet besides the values, more than any statement needs. */
const packetOverhead = 1024

/** Runs statements. All functions reject with a VaultError (`toVaultError`). */
export interface Statements {
  /** Returns the rows that a statement reads. */
  select(text: string, values: MysqlValue[]): Promise<readonly unknown[]>
  /** Returns the number of rows that a statement has written. */
  change(text: string, values: MysqlValue[]): Promise<number>
  /** Inserts one row. Returns false if a row with its key exists. */
  insert(text: string, values: MysqlValue[]): Promise<boolean>
  /** Returns true if the client is in a transaction. */
  canRollBack(): Promise<boolean>
}

/**
 * Creates statements on the client. Before the first one, and after each loss of the connection,
 * the settings of a session are checked (see `readSession`).
 */
export function createStatements(
  client: MysqlClient,
  names: TableNames,
  canRetry = isRetryable,
): Statements {
  let session: MysqlSession | undefined
  const toError = (error: unknown): unknown => {
    const converted = toVaultError(error)
    if (converted instanceof StorageUnavailableError) session = undefined
    return converted
  }
  const retry = { canRetry, toError, maxTotalMs }
  const execute = async (text: string, values: MysqlValue[]): Promise<unknown> => {
    session ??= await readSession(client, names)
    if (countBytes(values) + packetOverhead > session.maxPacketBytes) throw packetTooLargeError()
    return client.execute(text, values)
  }
  return {
    select: (text, values) =>
      retryStatement(async () => getRows(await execute(text, values)), retry),
    change: (text, values) =>
      retryStatement(async () => getAffectedRows(await execute(text, values)), retry),
    insert: (text, values) =>
      retryStatement(async () => {
        try {
          return getAffectedRows(await execute(text, values)) === 1
        } catch (error) {
          if (isDuplicateKey(error)) return false
          throw error
        }
      }, retry),
    canRollBack: () =>
      retryStatement(async () => {
        try {
          // This sets the default of the next transaction, which is not permitted within a
          // transaction.
          await execute('SET TRANSACTION READ WRITE', [])
          return false
        } catch (error) {
          if (isInTransaction(error)) return true
          throw error
        }
      }, retry),
  }
}

function countBytes(values: readonly MysqlValue[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (value instanceof Uint8Array ? value.length : 0),
    0,
  )
}

/** A session with settings that a store can use. */
interface MysqlSession {
  /** `max_allowed_packet`: bytes of a statement with its parameters, at most. */
  readonly maxPacketBytes: number
}

/**
 * Reads the settings. Rejects with an error of the driver, or with a StorageError if the store
 * could not keep its promises:
 * - without `autocommit`, an acknowledged write would not be committed
 * - at `READ UNCOMMITTED`, a read could return data that is rolled back afterwards
 * - in the mode `EMPTY_STRING_IS_NULL`, empty bytes would be stored as null
 * - without `foreign_key_checks`, the chunks of a removed blob would stay forever
 * - a read-only server is a replica, which may return old data (`STORAGE_UNAVAILABLE`, because a
 *   failover can end that)
 * - tables of any engine but InnoDB are neither atomic nor durable
 */
async function readSession(client: MysqlClient, names: TableNames): Promise<MysqlSession> {
  const row = await selectSettings(client, names)
  const text = (name: string): string => String(safeGet(row, name))
  if (text('autocommit') !== '1') throw settingError('autocommit must be on')
  if (/UNCOMMITTED/i.test(text('isolation')))
    throw settingError('the isolation level must not be READ UNCOMMITTED')
  if (/EMPTY_STRING_IS_NULL/i.test(text('mode')))
    throw settingError('sql_mode must not contain EMPTY_STRING_IS_NULL')
  if (text('foreignKeyChecks') !== '1') throw settingError('foreign_key_checks must be on')
  if (getCount(row, 'otherTables') > 0) throw settingError('the tables must use the engine InnoDB')
  if (![text('readOnly'), text('engineReadOnly')].every((value) => /^(?:0|OFF)$/i.test(value)))
    throw new StorageUnavailableError('the server is read-only: connect to the primary server')
  return { maxPacketBytes: getCount(row, 'maxPacket') }
}

async function selectSettings(client: MysqlClient, names: TableNames): Promise<unknown> {
  const select = (isolation: string): Promise<unknown> => {
    const { text, values } = settingsStatement(isolation, names)
    return client.execute(text, values)
  }
  const result = await select('transaction_isolation').catch((error: unknown) => {
    // MariaDB before 11.1.
    if (isUnknownVariable(error)) return select('tx_isolation')
    throw error
  })
  return getRows(result)[0]
}

function settingsStatement(
  isolation: string,
  { database, plain }: TableNames,
): { readonly text: string; readonly values: MysqlValue[] } {
  return {
    text: `SELECT @@autocommit AS autocommit, @@${isolation} AS isolation, @@sql_mode AS mode,
      @@max_allowed_packet AS maxPacket, @@read_only AS readOnly,
      @@innodb_read_only AS engineReadOnly, @@foreign_key_checks AS foreignKeyChecks,
      (SELECT count(*) FROM information_schema.tables
        WHERE table_schema = coalesce(?, database()) AND table_name IN (?, ?, ?)
        AND engine <> 'InnoDB') AS otherTables`,
    values: [database ?? null, ...plain],
  }
}

function settingError(message: string): StorageError {
  return new StorageError(`the store cannot use this client: ${message}`)
}

/** The server status flag of the MySQL protocol for a connection in a transaction. */
const inTransaction = 1

/** Returns the rows: `[rows, fields]` of mysql2, or `rows` of mariadb. */
function getRows(result: unknown): readonly unknown[] {
  if (!Array.isArray(result)) throw new StorageError('unexpected data in the database')
  return Array.isArray(result[0]) ? result[0] : result
}

/**
 * Returns the number of rows that were written: `[header, undefined]` of mysql2, or the header of
 * mariadb.
 * @throws StorageError if it is not in the result, or if mysql2 reports that the statement has not
 * committed.
 */
function getAffectedRows(result: unknown): number {
  const header = Array.isArray(result) ? result[0] : result
  const status = safeGet(header, 'serverStatus')
  if (typeof status === 'number' && (status & inTransaction) !== 0)
    throw new StorageError('the client is in a transaction, so that nothing was committed')
  return getCount(header, 'affectedRows')
}
