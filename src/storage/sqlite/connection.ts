/** Makes a connection to SQLite durable before anything is written through it. */

import { StorageError } from '../../errors.js'
import { safeGet } from '../../safe-get.js'
import { getInteger } from '../sql/row.js'

/** What is used of a driver: `DatabaseSync` of node:sqlite and `Database` of better-sqlite3 fit. */
export interface SqliteDatabase {
  /** Runs statements that answer nothing. */
  exec(sql: string): unknown
  /** Compiles one statement. */
  prepare(sql: string): SqliteStatement
}

/** What is used of a prepared statement. Rows are objects with a member for each column. */
export interface SqliteStatement {
  /** Runs it, and says how many rows it has changed. */
  run(...values: SqliteValue[]): { readonly changes: number | bigint }
  /** The first row; undefined or null if there is none. */
  get(...values: SqliteValue[]): unknown
  /** Every row. */
  all(...values: SqliteValue[]): unknown[]
}

/** What is bound to a parameter. */
export type SqliteValue = string | number | Uint8Array | null

/**
 * Sets a busy timeout in milliseconds, write-ahead logging, and then `synchronous=FULL`, so that a commit is on disk
 * when it returns: better-sqlite3 falls back to NORMAL whenever it enters WAL mode. On macOS the drive is told to empty
 * its cache, too.
 * @throws StorageError if one of the settings does not hold afterwards, as in a database in memory.
 */
export function configureDurability(database: SqliteDatabase, busyTimeoutMs: number): void {
  database.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = full')
  database.exec('pragma fullfsync = on')
  database.exec('pragma checkpoint_fullfsync = on')
  if (safeGet(database.prepare('pragma journal_mode').get(), 'journal_mode') !== 'wal')
    throw new StorageError('the database does not keep a write-ahead log')
  if (getInteger(database.prepare('pragma synchronous').get(), 'synchronous') !== 2)
    throw new StorageError('the database does not sync its commits')
}
