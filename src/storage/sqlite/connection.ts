/** Describes a SQLite driver, and configures a connection for durable commits. */

import { safeGet } from '../../base/safe-get.js'
import { StorageError } from '../../errors.js'
import { getInteger } from '../sql/row.js'

/**
 * An open database: the parts of `DatabaseSync` of node:sqlite, or `Database` of better-sqlite3 or
 * libsql, that the store uses.
 */
export interface SqliteDatabase {
  /** Runs statements that return no rows. */
  exec(sql: string): unknown
  /** Compiles one statement. */
  prepare(sql: string): SqliteStatement
  /** True in a transaction: node:sqlite. */
  readonly isTransaction?: boolean | undefined
  /** True in a transaction: better-sqlite3 and libsql. */
  readonly inTransaction?: boolean | undefined
}

/** Returns true in a transaction, and undefined if the driver does not report it. */
export function isInTransaction(database: SqliteDatabase): boolean | undefined {
  return database.isTransaction ?? database.inTransaction
}

/**
 * A prepared statement. A row is an object with one member per column. libSQL mistakes a single
 * value that is null or bytes for an object of named values, which can crash the process.
 */
export interface SqliteStatement {
  /** Runs the statement, and returns the number of rows that it has changed. */
  run(...values: SqliteValue[]): { readonly changes: number | bigint }
  /** Returns the first row, or undefined or null if there are no rows. */
  get(...values: SqliteValue[]): unknown
  /** Returns all rows. */
  all(...values: SqliteValue[]): unknown[]
}

/** A value that is bound to a parameter. */
export type SqliteValue = string | number | Uint8Array | null

/** Runs the work of a store on the database, unless its file was deleted or replaced. */
export interface SqliteAccess {
  /** Returns the result of a read. @throws VaultError for anything that `work` throws. */
  read<Result>(work: () => Result): Result
  /** Resolves with the result of a write after it is committed. Rejects with a VaultError. */
  commit<Result>(work: () => Result): Promise<Result>
}

/**
 * Returns the path of the file that the database has opened, without symbolic links, or undefined
 * if it has none.
 */
export function findDatabaseFile(database: SqliteDatabase): string | undefined {
  const databases = database.prepare('pragma database_list').all()
  const file = safeGet(
    databases.find((one) => safeGet(one, 'name') === 'main'),
    'file',
  )
  return typeof file === 'string' && file !== '' ? file : undefined
}

/** Rewrites the file and its `-wal` without what was overwritten or deleted. */
export function compact(database: SqliteDatabase): void {
  database.exec('vacuum')
  database.exec('pragma wal_checkpoint(truncate)')
}

/** Returns true if a statement has changed a row. */
export function didChange({ changes }: ReturnType<SqliteStatement['run']>): boolean {
  return Number(changes) > 0
}

/**
 * Sets the busy timeout, write-ahead logging, and then `synchronous=FULL`, so that a commit is on
 * disk when it returns. The order matters: better-sqlite3 changes to NORMAL whenever it enters WAL
 * mode. On macOS, a commit also flushes the cache of the drive (`fullfsync`).
 *
 * @param busyTimeoutMs Milliseconds, 0 to 2,147,483,647.
 * @throws StorageError (`STORAGE_FAILED`) if one of the settings has no effect, for example because
 * the database is in memory.
 */
export function configureDurability(database: SqliteDatabase, busyTimeoutMs: number): void {
  database.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = full')
  database.exec('pragma fullfsync = on')
  database.exec('pragma checkpoint_fullfsync = on')
  if (safeGet(database.prepare('pragma journal_mode').get(), 'journal_mode') !== 'wal')
    throw new StorageError('the database does not support write-ahead logging')
  if (getInteger(database.prepare('pragma synchronous').get(), 'synchronous') !== 2)
    throw new StorageError('the database ignores synchronous=FULL, so it would not sync commits')
}
