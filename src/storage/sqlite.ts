/**
 * A store in one SQLite file. Several processes can use the file at once.
 * @module cofferkit/sqlite
 */

import { resolve } from 'node:path'
import { anyFunction, argumentError, integer, like, readArgument, text } from '../base/argument.js'
import { type Closable, toClosable } from '../base/closable.js'
import { mapStore, type WrapCall } from '../base/map-store.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { StorageError, StorageUnavailableError } from '../errors.js'
import type { Migration, VaultStore } from '../store.js'
import { toVaultError, wrapSqliteErrors } from './sql/sqlite-errors.js'
import { schemaMigrations } from './sql/sqlite-schema.js'
import { toMigrations } from './sql/to-migrations.js'
import { createSqliteBlobs, listBlobIds } from './sqlite/blobs.js'
import {
  compact,
  configureDurability,
  findDatabaseFile,
  isInTransaction,
  type SqliteAccess,
  type SqliteDatabase,
} from './sqlite/connection.js'
import { resolveDatabaseFile, restrictPermissions } from './sqlite/database-file.js'
import { createFileCheck } from './sqlite/file-check.js'
import { createGroupCommit, type GroupCommit, type Transactions } from './sqlite/group-commit.js'
import { migrate } from './sqlite/migrations.js'
import { createSqliteRecords } from './sqlite/records.js'

export type { Migration } from '../store.js'
export type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite/connection.js'

/** A driver's class: `DatabaseSync` of node:sqlite, or `Database` of better-sqlite3 or libsql. */
export type SqliteDriver = new (
  path: string,
) => SqliteDatabase & {
  /** Closes the file. */
  close(): unknown
}

/** Options of a SQLite store. */
export interface SqliteStoreOptions {
  /**
   * How long a write waits for another connection's lock before it rejects, in milliseconds: an
   * integer from 0 to 2,147,483,647. The drivers are synchronous, so the entire process waits.
   * Default: 5,000.
   */
  readonly busyTimeoutMs?: number | undefined
}

const storeOptions = defineOptions({
  busyTimeoutMs: optional(integer({ min: 0, max: 2 ** 31 - 1 }), 5_000),
} satisfies OptionKinds<SqliteStoreOptions>)

/** Options of a SQLite store that opens its file. */
export interface SqliteFileOptions extends SqliteStoreOptions {
  /**
   * The class that opens the file, such as `Database` of better-sqlite3 or libsql. Default:
   * `DatabaseSync` of node:sqlite.
   */
  readonly driver?: SqliteDriver | undefined
}

const fileOptions = defineOptions({
  ...storeOptions.kinds,
  driver: optional(like(anyFunction)),
} satisfies OptionKinds<SqliteFileOptions>)

/** A SQLite store that opened its file, and can close it. */
export interface SqliteStore extends VaultStore, Closable {
  /**
   * Commits the queued writes and closes the file. All later calls of the store fail with
   * StorageUnavailableError (503). Closing again returns the same promise.
   */
  close(): Promise<void>

  /**
   * Returns the ids of all contents of files, as they are stored, and even of those that were not
   * written completely. `npx cofferkit doctor --deep` looks for contents that no item refers to.
   * Rejects with a StorageError.
   */
  listBlobIds(): Promise<readonly string[]>

  /**
   * Commits the queued writes and rewrites the file, so that it does not contain overwritten or
   * deleted data any more. This blocks the thread, and needs free space of twice the file's size.
   * Rejects with a StorageError.
   */
  compact(): Promise<void>
}

/**
 * Creates a store on an open database: a `DatabaseSync` of node:sqlite, or a `Database` of
 * better-sqlite3 or libsql. From then on, the connection belongs to the store, which sets
 * write-ahead logging, `synchronous=FULL` and a busy timeout on it. You close it. The store creates
 * its tables on first use. Their names begin with `cofferkit_`, and the file can contain other
 * tables.
 *
 * Writes that arrive in the same turn of the event loop share a transaction. Each promise settles
 * with the outcome of its own write, after the commit is on disk. All rejections are StorageErrors:
 * `STORAGE_UNAVAILABLE` (503) if another connection held the lock for longer than the busy timeout,
 * otherwise `STORAGE_FAILED` (500).
 *
 * If the file, its `-wal` or its `-shm` is deleted, moved or replaced while the store is in use,
 * every call rejects with `STORAGE_FAILED` at most 0.1 s later, until you open the file again.
 * @throws StorageError if the database cannot be made durable (for example because it is in
 * memory), if its schema is newer than this version of the library, or if it fails or is locked.
 * @throws TypeError if `database` is not an open database, or `options` is not an object.
 * @throws RangeError if the busy timeout is out of range.
 * @example
 * ```ts
 * import { DatabaseSync } from 'node:sqlite'
 * import { createSqliteStore } from 'cofferkit/sqlite'
 *
 * const store = createSqliteStore(new DatabaseSync('vault.db'))
 * ```
 */
export function createSqliteStore(
  database: SqliteDatabase,
  options: SqliteStoreOptions = {},
): VaultStore {
  readArgument(like({ exec: anyFunction, prepare: anyFunction }), { database, options })
  return createGroupedStore(database, storeOptions.read(options).busyTimeoutMs).store
}

/**
 * Opens the file at `path` with node:sqlite or with the option `driver`, and creates a store on it.
 * Call `close` when you no longer need the store.
 *
 * If the file does not exist, it is created with mode 0600. If group or others have any permission
 * on the file, its mode is set to 0600. The same is done for its `-wal`, `-shm` and `-journal`
 * files. If the path is a symbolic link, this applies to the file that it refers to. The mode of
 * the folder is not checked.
 * @throws StorageError in the cases of {@link createSqliteStore}, and if
 * - the runtime has no node:sqlite, and there is no `driver`
 * - the folder of the file does not exist
 * - the file cannot be opened, or its permissions cannot be changed
 * - one of the four files belongs to a different user than the process, even root (not checked on
 *   Windows)
 * - one of the three files next to the database is a symbolic link (not checked on Windows)
 * @throws TypeError if `path` is not a string or is `:memory:`, `options` is not an object, or its
 * `driver` is not a function.
 * @throws RangeError if the busy timeout is out of range.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { openSqliteStore } from 'cofferkit/sqlite'
 *
 * const store = await openSqliteStore('vault.db')
 * const service = createVaultService({ store })
 * // ... and when the process ends:
 * await service.close()
 * await store.close()
 * ```
 *
 * @example With better-sqlite3
 * ```ts
 * import { openSqliteStore } from 'cofferkit/sqlite'
 * import Database from 'better-sqlite3'
 *
 * const store = await openSqliteStore('vault.db', { driver: Database })
 * ```
 */
export async function openSqliteStore(
  path: string,
  options: SqliteFileOptions = {},
): Promise<SqliteStore> {
  readArgument(text(), { path, options })
  if (path === ':memory:')
    throw argumentError(path, 'path', 'a file: createMemoryStore writes to none')
  const { driver, busyTimeoutMs } = fileOptions.read(options)
  const Driver = driver ?? (await importDriver())
  // An absolute path is never a URI.
  const file = wrapSqliteErrors(() => resolveDatabaseFile(resolve(path)))
  const database = wrapSqliteErrors(() => {
    restrictPermissions(file)
    return new Driver(file)
  })
  try {
    const { store, writes, access } = createGroupedStore(database, busyTimeoutMs, resolve(path))
    // Do this again, because the journals exist now, and another process may have created them in
    // between.
    wrapSqliteErrors(() => restrictPermissions(file))
    let isClosed = false
    // Does not depend on how the driver treats a closed database. libSQL, for example, still runs
    // prepared statements.
    const whileOpen: WrapCall = (run) =>
      isClosed ? Promise.reject(new StorageUnavailableError('the store is closed')) : run()
    const close = async (): Promise<void> => {
      isClosed = true
      writes.flush()
      wrapSqliteErrors(() => void database.close())
    }
    return {
      ...mapStore(store, whileOpen),
      listBlobIds: () => whileOpen(async () => access.read(() => listBlobIds(database))),
      compact: () =>
        whileOpen(async () => {
          writes.flush()
          access.read(() => compact(database))
        }),
      ...toClosable(close),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

async function importDriver(): Promise<SqliteDriver> {
  try {
    return (await import('node:sqlite')).DatabaseSync
  } catch {
    throw new StorageError('this runtime has no node:sqlite: pass the option driver')
  }
}

/**
 * Returns the statements that create the tables as named migrations, for your own migration tool.
 * Once they have run, `createSqliteStore` creates nothing. Run each of them once. A later version of
 * this library adds migrations at the end and changes none.
 */
export function sqliteMigrations(): readonly Migration[] {
  return toMigrations('cofferkit_', schemaMigrations)
}

/** A store, and what it reads and writes with. */
interface GroupedStore {
  readonly store: VaultStore
  readonly writes: GroupCommit
  readonly access: SqliteAccess
}

function createGroupedStore(
  database: SqliteDatabase,
  busyTimeoutMs: number,
  path?: string,
): GroupedStore {
  return wrapSqliteErrors(() => {
    configureDurability(database, busyTimeoutMs)
    migrate(database)
    // Resolves the links of the path, because a link that now refers to another file replaces the
    // file as well.
    const file = findDatabaseFile(database)
    const paths = file === undefined ? [] : [path ?? file, `${file}-wal`, `${file}-shm`]
    const check = createFileCheck(paths)
    const writes = createGroupCommit(prepareTransactions(database, check))
    const access: SqliteAccess = {
      read: (work) =>
        wrapSqliteErrors(() => {
          check()
          return work()
        }),
      commit: (work) =>
        writes.commit(work).catch((error: unknown) => {
          throw toVaultError(error)
        }),
    }
    const records = createSqliteRecords(database, access)
    const blobs = createSqliteBlobs(database, access)
    return { store: { records, blobs }, writes, access }
  })
}

/**
 * Takes the write lock when a transaction begins, so that no transaction fails halfway because
 * of it. If the driver can tell, no transaction begins within one of the application. Calls `check`
 * last, because a transaction may wait for the lock for a long time.
 */
function prepareTransactions(database: SqliteDatabase, check: () => void): Transactions {
  const begin = database.prepare('begin immediate')
  const commit = database.prepare('commit')
  const rollback = database.prepare('rollback')
  return {
    begin() {
      if (isInTransaction(database))
        throw new StorageError('the connection is in a transaction, so nothing can be committed')
      begin.run()
    },
    commit() {
      check()
      commit.run()
    },
    rollback: () => void rollback.run(),
  }
}
