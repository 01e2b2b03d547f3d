/**
 * A store in one SQLite file, which several processes may use at once.
 * @module cofferkit/sqlite
 */

import { resolve } from 'node:path'
import { StorageError } from '../errors.js'
import type { VaultStore } from '../store.js'
import { createSqliteBlobs } from './sqlite/blobs.js'
import { configureDurability, type SqliteDatabase } from './sqlite/connection.js'
import { fileBehind, restrictPermissions } from './sqlite/database-file.js'
import { sqliteError, wrapSqliteErrors } from './sqlite/errors.js'
import { createGroupCommit, type GroupCommit, type Transactions } from './sqlite/group-commit.js'
import { migrate, schemaMigrations } from './sqlite/migrations.js'
import { createSqliteRecords } from './sqlite/records.js'

export type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite/connection.js'

/** What may be told to a store in SQLite. */
export interface SqliteStoreOptions {
  /**
   * Milliseconds that a write waits for another connection's before it rejects; 5,000 if absent. The drivers are
   * synchronous: the whole process waits.
   */
  readonly busyTimeoutMs?: number
}

/** A store whose file was opened with it. */
export interface SqliteStore extends VaultStore {
  /**
   * Commits what is waiting and closes the file. Whatever is asked afterwards rejects with a StorageError; closing
   * again does nothing.
   */
  close(): Promise<void>
}

/**
 * A store on an open database: a `DatabaseSync` of node:sqlite or a `Database` of better-sqlite3. The connection is the
 * store's own from then on: it is set to write-ahead logging, `synchronous=FULL` and a busy timeout, and whoever opened
 * it closes it. The store's tables begin with `cofferkit_`, are created on first use, and may stand beside others.
 *
 * Writes that arrive in the same turn of the event loop share a transaction; each promise resolves after the commit
 * that holds its write is on disk, with its own outcome. All rejections are StorageErrors: answered 503 if another
 * connection held the lock for longer than the busy timeout, else 500.
 * @throws StorageError if the database cannot be made durable, as one in memory; if its schema is newer than this
 * library; or if it fails or is locked.
 * @throws RangeError if the busy timeout is not a whole number from 0 to 2,147,483,647.
 */
export function createSqliteStore(
  database: SqliteDatabase,
  options: SqliteStoreOptions = {},
): VaultStore {
  return createGroupedStore(database, options).store
}

/**
 * A store in the file at `path`, opened with node:sqlite (Node 22.13 or later). The file is created with mode 0600 if
 * there is none; one that others than its owner may read or write is set to 0600, and so are its `-wal`, `-shm` and
 * `-journal` files. Through symbolic links all that is done to the file they lead to. The caller closes it.
 * @throws StorageError as `createSqliteStore` does, and if the file cannot be opened or kept private. Except on Windows
 * that is so if it, or one of those beside it, does not belong to the user that the process runs as, also where that is
 * root, or if one of those beside it is a symbolic link.
 */
export async function openSqliteStore(
  path: string,
  options: SqliteStoreOptions = {},
): Promise<SqliteStore> {
  const { DatabaseSync } = await import('node:sqlite').catch(() => {
    throw new StorageError('node:sqlite is missing: it needs Node 22.13 or later')
  })
  // An absolute path is never a URI or the name of a database in memory.
  const file = wrapSqliteErrors(() => fileBehind(resolve(path)))
  const database = wrapSqliteErrors(() => {
    restrictPermissions(file)
    return new DatabaseSync(file)
  })
  try {
    const { store, writes } = createGroupedStore(database, options)
    // Again: the files beside it are there now, and another process may have made them in between.
    wrapSqliteErrors(() => restrictPermissions(file))
    return { ...store, close: createClose(database, writes) }
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * The SQL that makes the tables, in order, for those who run migrations themselves. `createSqliteStore` then finds
 * them and creates nothing. A later version of the library appends statements and changes none.
 */
export function migrations(): readonly string[] {
  return schemaMigrations.flat()
}

function createGroupedStore(
  database: SqliteDatabase,
  { busyTimeoutMs = 5_000 }: SqliteStoreOptions,
): { readonly store: VaultStore; readonly writes: GroupCommit } {
  if (!Number.isInteger(busyTimeoutMs) || busyTimeoutMs < 0 || busyTimeoutMs > 2_147_483_647)
    throw new RangeError('busyTimeout must be a whole number from 0 to 2,147,483,647')
  return wrapSqliteErrors(() => {
    configureDurability(database, busyTimeoutMs)
    migrate(database)
    const writes = createGroupCommit(transactionsOf(database))
    const commit: GroupCommit['commit'] = (write) =>
      writes.commit(write).catch((error: unknown) => {
        throw sqliteError(error)
      })
    const records = createSqliteRecords(database, commit)
    const blobs = createSqliteBlobs(database, commit)
    return { store: { records, blobs }, writes }
  })
}

/** The write lock is taken at the beginning, so that a transaction that has begun meets no other. */
function transactionsOf(database: SqliteDatabase): Transactions {
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')
  return {
    begin: () => void begin.run(),
    commit: () => void commit.run(),
    rollback: () => void rollback.run(),
  }
}

function createClose(database: { close(): void }, writes: GroupCommit): () => Promise<void> {
  let isClosed = false
  return async () => {
    if (isClosed) return
    isClosed = true
    writes.flush()
    wrapSqliteErrors(() => database.close())
  }
}
