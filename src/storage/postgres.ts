/**
 * A store in PostgreSQL or a compatible cluster, through the driver of the application.
 * @module cofferkit/postgres
 */

import { flag, oneOf, readArgument, withMethod } from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import { StorageError } from '../errors.js'
import type { Migration, ServerStore } from '../store.js'
import { isRetryable, listErrorCodes } from './postgres/errors.js'
import { joinTransaction } from './postgres/join-transaction.js'
import {
  createQuery,
  omitReturning,
  type PostgresClient,
  type PreparingPostgresClient,
  prepareStatements,
  type Query,
} from './postgres/query.js'
import { createPostgresBlobs, createPostgresRecords } from './postgres/store.js'
import {
  blobStatements,
  migrationsFor,
  migrationsTableStatement,
  type PostgresEngine,
  type PostgresTableOptions,
  recordStatements,
  schemaStatement,
  tableNames,
  tableOptions,
  versionStatement,
} from './postgres/tables.js'
import { createTransactionCheck, isCockroach } from './postgres/transaction.js'
import { getCount, getText, toServerSettings } from './sql/row.js'

export type { Migration, ServerSettings, ServerStore } from '../store.js'
export type {
  PostgresClient,
  PostgresResult,
  PreparedStatement,
  PreparingPostgresClient,
} from './postgres/query.js'
export type { PostgresEngine, PostgresTableOptions } from './postgres/tables.js'

/** Options of `postgresMigrations`. */
export interface PostgresMigrationOptions extends PostgresTableOptions {
  /** Default: `postgresql`, which includes YugabyteDB and Citus. */
  readonly engine?: PostgresEngine | undefined
  /**
   * If true, only the table of records is created. That is all that a sealer of `cofferkit/seal`
   * needs for its key rings. If you need a vault later, run the other migrations. Default: false.
   */
  readonly recordsOnly?: boolean | undefined
}

const migrationOptions = defineOptions({
  ...tableOptions.kinds,
  engine: optional(oneOf('postgresql', 'cockroachdb'), 'postgresql'),
  recordsOnly: optional(flag(), false),
} satisfies OptionKinds<PostgresMigrationOptions>)

/** A store on a PostgreSQL server. */
export interface PostgresStore extends ServerStore {
  /**
   * Returns the names of up to three schemas that have tables with the prefix of this store. If a
   * store without the option `schema` finds no tables, they may be in one of these schemas. Rejects
   * with a StorageError.
   */
  findSchemas(): Promise<readonly string[]>
}

/** Options of a PostgreSQL store. */
export interface PostgresStoreOptions<Client extends PostgresClient = PostgresClient>
  extends PostgresTableOptions {
  /**
   * If true, each connection prepares every statement once, under a name. About a quarter more
   * statements then run in the same time. It needs a client that accepts {@link PreparedStatement},
   * such as `pg.Pool`. PgBouncer must be version 1.21 or later with `max_prepared_statements` above
   * 0. Default: false.
   */
  readonly prepare?: (Client extends PreparingPostgresClient ? boolean : false) | undefined
}

const storeOptions = defineOptions({
  ...tableOptions.kinds,
  prepare: optional(flag(), false),
} satisfies OptionKinds<PostgresStoreOptions<PostgresClient & PreparingPostgresClient>>)

/**
 * Creates a store on the tables of {@link migratePostgres}. Several processes can share them. Each
 * operation on a record is one statement and needs no transaction, so the client can be a pool,
 * even behind a pooler that assigns connections per transaction. The client must not be in a
 * transaction, and must be connected to the primary server, because a replica may return old data.
 *
 * An encrypted store rejects calls that would make or find new keys in a transaction, because a
 * rollback would leave this process with keys that are stored nowhere. To find out, it calls
 * `pg_current_xact_id_if_assigned()`, or `SHOW TRANSACTION STATUS` in CockroachDB.
 *
 * A write is acknowledged when the server has acknowledged its commit. The server's
 * `synchronous_commit` decides what the write survives. A statement that the server has rolled back
 * (SQLSTATE 40001 or 40P01) is retried, at most ten attempts in all. A statement on a lost
 * connection is not retried, because it may have been executed.
 *
 * You can pass a client of `pg`, PGlite or Neon, or Drizzle's `db.$client`. Knex, Kysely,
 * postgres.js and Prisma need an adapter, which you find in `docs/postgres.md`. For example:
 *
 * ```text
 * Kysely       { query: (text, values) => db.executeQuery(CompiledQuery.raw(text, values)) }
 * Prisma       { query: async (text, values) => ({
 *                rows: await prisma.$queryRawUnsafe(text, ...values) }) }
 * ```
 *
 * @returns A store whose calls reject with a StorageError: `STORAGE_UNAVAILABLE` (503) if the
 * server is unreachable, out of resources, shutting down, read-only or too busy, otherwise
 * `STORAGE_FAILED` (500), for example if the tables do not exist, or at the first call for a blob
 * if `session_replication_role` is `replica`. No error contains a message of the driver.
 * @throws TypeError if `client` has no function `query`, or if an option has an invalid format.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createPostgresStore, migratePostgres } from 'cofferkit/postgres'
 * import pg from 'pg'
 *
 * const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] })
 * await migratePostgres(pool)
 * const service = createVaultService({ store: createPostgresStore(pool, { prepare: true }) })
 * ```
 */
export function createPostgresStore<Client extends PostgresClient>(
  client: Client,
  options: PostgresStoreOptions<Client> = {},
): PostgresStore {
  readArgument(withMethod('query'), { client, options })
  const { prepare, ...tables } = storeOptions.read(options)
  const names = tableNames(tables)
  const isPrepared = isPreparing(client, prepare)
  const statements = isPrepared ? prepareStatements(client) : client
  const query = createQuery(isPrepared ? omitReturning(statements) : statements)
  return {
    records: {
      ...createPostgresRecords(query, names),
      canRollBack: createTransactionCheck(statements),
      inTransaction(own) {
        readArgument(withMethod('query'), { client: own })
        if (Object(own) === client)
          throw new TypeError('client must be in a transaction, and not the client of the store')
        return createPostgresRecords(joinTransaction(own, names), names, { locksVaults: true })
      },
    },
    blobs: createPostgresBlobs(query, names),
    async readSettings() {
      const [row] = await query(settingsStatement)
      return toServerSettings(row, ['synchronous_commit', 'fsync', 'full_page_writes'])
    },
    hasTables: () => hasTable(query, names.records),
    async listBlobIds() {
      return (await query(`SELECT id FROM ${names.blobs}`)).map((row) => getText(row, 'id'))
    },
    async findSchemas() {
      const rows = await query(schemasStatement, [`${tables.tablePrefix}records`])
      return rows.map((row) => getText(row, 'name'))
    },
  }
}

const settingsStatement = `SELECT current_setting('synchronous_commit') AS synchronous_commit,
  current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
  CAST(extract(epoch FROM clock_timestamp()) AS text) AS seconds`

const schemasStatement = `SELECT CAST(table_schema AS text) AS name FROM information_schema.tables
  WHERE table_name = $1 ORDER BY 1 LIMIT 3`

async function hasTable(query: Query, name: string): Promise<boolean> {
  const [row] = await query(
    'SELECT CASE WHEN to_regclass(CAST($1 AS text)) IS NULL THEN 0 ELSE 1 END AS count',
    [name],
  )
  return getCount(row, 'count') === 1
}

/**
 * Returns true if statements are prepared. The client supports that, because the type of the option
 * `prepare` permits `true` for no other client.
 */
function isPreparing(
  _client: PostgresClient,
  prepare: boolean,
): _client is PostgresClient & PreparingPostgresClient {
  return prepare
}

/**
 * Creates the schema and the tables, or migrates them to the version that this library needs. If
 * they already have it, it only reads the number of that version. It then needs only `SELECT` on
 * the table `cofferkit_migrations`, and waits for no other statement. Otherwise it needs the
 * permission to create tables in the schema, and to create the schema unless it exists. The store
 * itself needs only `SELECT`, `INSERT`, `UPDATE` and `DELETE`. Several processes can migrate at the
 * same time. Run it when you deploy, or when your program starts.
 *
 * @throws StorageError in the cases of {@link createPostgresStore}, and with code `STORAGE_FAILED`
 * if the tables were created by a newer version of the library.
 * @throws TypeError if `client` has no function `query`, or if an option has an invalid format.
 */
export async function migratePostgres(
  client: PostgresClient,
  options: PostgresTableOptions = {},
): Promise<void> {
  readArgument(withMethod('query'), { client, options })
  const tables = tableOptions.read(options)
  const names = tableNames(tables)
  const query = createQuery(client, isRetryableMigration)
  const [server] = await query('SELECT version() AS name')
  const versions = migrationsFor(names, toEngine(getText(server, 'name')))
  const readVersion = async (): Promise<number> => {
    const [row] = await query(
      `SELECT coalesce(max(version), 0) AS version FROM ${names.migrations}`,
    )
    const version = getCount(row, 'version')
    if (version > versions.length)
      throw new StorageError('the tables were created by a newer cofferkit: upgrade cofferkit')
    return version
  }
  // `IF NOT EXISTS` needs the permission to create a table even if the table exists.
  const exists = await hasTable(query, names.migrations)
  if (exists && (await readVersion()) === versions.length) return
  if (tables.schema !== undefined) await createSchema(query, tables.schema)
  await query(migrationsTableStatement(names))
  const done = await readVersion()
  for (const statement of versions.slice(done).flat()) await query(statement)
}

/** Creates the schema. If it exists, no permission to create one is needed. */
async function createSchema(query: Query, schema: string): Promise<void> {
  const [found] = await query(
    'SELECT 1 AS found FROM pg_namespace WHERE CAST(nspname AS text) = CAST($1 AS text)',
    [schema],
  )
  if (found === undefined) await query(schemaStatement(schema))
}

/**
 * Returns the statements of {@link migratePostgres} as named migrations, for your own migration
 * tool. Every statement can be repeated. A later version of this library adds migrations at the end
 * and changes none. If you pass
 * `schema`, the first migration creates the schema. Leave it out if the tool's role cannot create
 * schemas.
 * @throws TypeError if an option has an invalid format.
 *
 * @example
 * ```ts
 * for (const { name, statements } of postgresMigrations({ schema: 'vaults' }))
 *   await runOnce(name, statements.join(';\n'))
 * ```
 */
export function postgresMigrations(options: PostgresMigrationOptions = {}): readonly Migration[] {
  const { engine, recordsOnly, ...tables } = migrationOptions.read(options)
  const { schema, tablePrefix } = tables
  const names = tableNames(tables)
  const migration = (name: string, ...statements: string[]): Migration => ({
    name: `${tablePrefix}${name}`,
    statements,
  })
  return [
    ...(schema === undefined ? [] : [migration('001_schema', schemaStatement(schema))]),
    migration('002_records', ...recordStatements(names, engine)),
    ...(recordsOnly
      ? []
      : [
          migration('003_blobs', ...blobStatements(names, engine)),
          migration('004_version', migrationsTableStatement(names), versionStatement(names, 1)),
        ]),
  ]
}

/** Only CockroachDB differs. */
function toEngine(version: string): PostgresEngine {
  return isCockroach(version) ? 'cockroachdb' : 'postgresql'
}

/**
 * Like `isRetryable`, but also true if another process was creating the same schema or table
 * (SQLSTATE 23505, 42P06, 42P07, 42710), because `IF NOT EXISTS` does not wait for it.
 */
function isRetryableMigration(error: unknown): boolean {
  const alreadyExists = /^(?:23505|42P0[67]|42710)$/
  return isRetryable(error) || listErrorCodes(error).some((code) => alreadyExists.test(code))
}
