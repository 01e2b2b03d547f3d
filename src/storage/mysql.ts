/**
 * A store in MySQL or MariaDB, through the driver of the application.
 * @module cofferkit/mysql
 */

import { argumentError, type Kind, readArgument, withMethod } from '../base/argument.js'
import { safeGet } from '../base/safe-get.js'
import { StorageError } from '../errors.js'
import type { Migration, ServerStore } from '../store.js'
import { isRetryableMigration } from './mysql/errors.js'
import { createStatements, type MysqlClient, type Statements } from './mysql/statements.js'
import { createMysqlBlobs, createMysqlRecords } from './mysql/store.js'
import {
  getKey,
  type MysqlTableOptions,
  migrationsFor,
  migrationsTableStatement,
  tableNames,
  tableOptions,
} from './mysql/tables.js'
import { getCount, toServerSettings } from './sql/row.js'
import { toMigrations } from './sql/to-migrations.js'

export type { Migration, ServerSettings, ServerStore } from '../store.js'
export type { MysqlClient, MysqlValue } from './mysql/statements.js'
export type { MysqlTableOptions } from './mysql/tables.js'

/**
 * Creates a store on the tables of {@link migrateMysql}, in MySQL 8 or MariaDB 10.11 and later.
 * Several processes can share them. The client is a pool of `mysql2/promise` or of `mariadb`. Each
 * operation on a record is one prepared statement that commits by itself. The client must not be in
 * a transaction, and must be connected to the primary server, because a replica may return old
 * data.
 *
 * An encrypted store rejects calls that would make or find new keys in a transaction, because a
 * rollback would leave this process with keys that are stored nowhere. To find out, it sends
 * `SET TRANSACTION READ WRITE`, which is not permitted in a transaction.
 *
 * A write is acknowledged when the server has acknowledged its commit. The server's
 * `innodb_flush_log_at_trx_commit` decides what the write survives. With 1, the default, it
 * survives a crash. A statement that the server has rolled back (error 1213, 1205 or 1020) is
 * retried, at most ten attempts in all, the last one within 5 s. A statement on a lost connection
 * is not retried, because it may have been executed.
 *
 * @returns A store whose calls reject with a StorageError: `STORAGE_UNAVAILABLE` (503) if the
 * server is unreachable, out of resources, shutting down, read-only or too busy, otherwise
 * `STORAGE_FAILED` (500). Examples of the latter are missing tables, a record that is larger than
 * `max_allowed_packet` permits, a key of more than 255 bytes, an index key of more than 512 bytes,
 * and a session with unsuitable settings. The first use checks `autocommit`, the isolation level
 * (not `READ UNCOMMITTED`), `sql_mode` (not `EMPTY_STRING_IS_NULL`), `foreign_key_checks` and the
 * engine of the tables. No error contains a message of the driver.
 * @throws TypeError if `client` has no function `execute` that returns promises, or if an option
 * has an invalid format.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createMysqlStore, migrateMysql } from 'cofferkit/mysql'
 * import mysql from 'mysql2/promise'
 *
 * const pool = mysql.createPool(process.env['DATABASE_URL'] ?? '')
 * await migrateMysql(pool)
 * const service = createVaultService({ store: createMysqlStore(pool) })
 * ```
 */
export function createMysqlStore(
  client: MysqlClient,
  options: MysqlTableOptions = {},
): ServerStore {
  readArgument(promiseClient, { client, options })
  const names = tableNames(tableOptions.read(options))
  const statements = createStatements(client, names)
  return {
    records: createMysqlRecords(statements, names),
    blobs: createMysqlBlobs(statements, names),
    async readSettings() {
      const [row] = await statements.select(settingsStatement, [])
      return toServerSettings(row, ['innodb_flush_log_at_trx_commit', 'sync_binlog'])
    },
    hasTables: () => hasTable(statements, names.database, names.plainRecords),
    async listBlobIds() {
      const rows = await statements.select(`SELECT id FROM ${names.blobs}`, [])
      return rows.map((row) => getKey(row, 'id'))
    },
  }
}

const settingsStatement = `SELECT
  CAST(@@innodb_flush_log_at_trx_commit AS CHAR) AS innodb_flush_log_at_trx_commit,
  CAST(@@sync_binlog AS CHAR) AS sync_binlog, CAST(unix_timestamp(now(3)) AS CHAR) AS seconds`

async function hasTable(
  { select }: Pick<Statements, 'select'>,
  database: string | undefined,
  name: string,
): Promise<boolean> {
  const [row] = await select(
    `SELECT count(*) AS count FROM information_schema.tables
      WHERE table_schema = coalesce(?, database()) AND table_name = ?`,
    [database ?? null, name],
  )
  return getCount(row, 'count') === 1
}

/**
 * Creates the tables, or migrates them to the version that this library needs. If they already have
 * it, it only reads the number of that version. It then needs only `SELECT` on the tables, and
 * commits no transaction. Otherwise it needs the permission to create tables. The store itself
 * needs only `SELECT`, `INSERT`, `UPDATE` and `DELETE`. Several processes can migrate at the same
 * time. The database must exist. Run it when you deploy, or when your program starts.
 *
 * @throws StorageError in the cases of {@link createMysqlStore}, and with code `STORAGE_FAILED` if
 * the tables were created by a newer version of the library.
 * @throws TypeError if `client` has no function `execute` that returns promises, or if an option
 * has an invalid format.
 */
export async function migrateMysql(
  client: MysqlClient,
  options: MysqlTableOptions = {},
): Promise<void> {
  readArgument(promiseClient, { client, options })
  const names = tableNames(tableOptions.read(options))
  const { change, select } = createStatements(client, names, isRetryableMigration)
  const versions = migrationsFor(names)
  const readVersion = async (): Promise<number> => {
    const [row] = await select(
      `SELECT coalesce(max(version), 0) AS version FROM ${names.migrations}`,
      [],
    )
    const version = getCount(row, 'version')
    if (version > versions.length)
      throw new StorageError('the tables were created by a newer cofferkit: upgrade cofferkit')
    return version
  }
  const exists = await hasTable({ select }, names.database, names.plainMigrations)
  if (exists && (await readVersion()) === versions.length) return
  await change(migrationsTableStatement(names), [])
  const done = await readVersion()
  for (const statement of versions.slice(done).flat()) await change(statement, [])
  // A separate session checks the engine of the tables, because the server may have chosen a
  // different one.
  await createStatements(client, names).select('SELECT 1', [])
}

/**
 * Returns the statements of {@link migrateMysql} as named migrations, for your own migration tool.
 * Every statement can be repeated. A later version of this library adds migrations at the end and
 * changes none.
 * @throws TypeError if an option has an invalid format.
 */
export function mysqlMigrations(options: MysqlTableOptions = {}): readonly Migration[] {
  const tables = tableOptions.read(options)
  const names = tableNames(tables)
  const [first = [], ...later] = migrationsFor(names)
  const versions = [[migrationsTableStatement(names), ...first], ...later]
  return toMigrations(tables.tablePrefix, versions)
}

/** A client with a function `execute` that takes no callback. */
const promiseClient: Kind<MysqlClient> = (client, path) => {
  withMethod('execute')(client, path)
  // Callback pools and connections of mysql2 have a function that returns the promise form.
  if (typeof safeGet(client, 'promise') === 'function')
    throw argumentError(client, path, 'one with promises, such as a pool of mysql2/promise')
  return client
}
