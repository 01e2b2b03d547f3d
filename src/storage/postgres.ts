/**
 * A store in PostgreSQL, or in a cluster that speaks like it, through the driver that you have.
 * @module cofferkit/postgres
 */

import { StorageError } from '../errors.js'
import type { VaultStore } from '../store.js'
import { createBlobs } from './postgres/blobs.js'
import type { NamingPostgresClient, PostgresClient } from './postgres/client.js'
import { codesOf, isRetryable } from './postgres/errors.js'
import { migrationsFor, type PostgresEngine, versionTable } from './postgres/migrations.js'
import { createQuery } from './postgres/query.js'
import { createRecords } from './postgres/records.js'
import { type PostgresTableOptions, tableNames } from './postgres/tables.js'
import { getCount, getText } from './sql/row.js'

export type {
  NamedStatement,
  NamingPostgresClient,
  PostgresClient,
  PostgresResult,
} from './postgres/client.js'
export type { PostgresEngine } from './postgres/migrations.js'
export type { PostgresTableOptions } from './postgres/tables.js'

/** Whose words the statements are made of, and where the tables are. */
export interface PostgresMigrationOptions extends PostgresTableOptions {
  /** `postgresql` if absent, which YugabyteDB and Citus are too. */
  readonly engine?: PostgresEngine | undefined
}

/**
 * A store on tables that {@link migratePostgres} has made. Several processes may share them. Each operation on a record
 * is one statement and needs no transaction, so the client may be a pool, or stand behind one that hands out a
 * connection for each transaction. It must be in no transaction of yours, and must ask the primary server: what a
 * replica answers may be old.
 *
 * A write is acknowledged when the server has acknowledged its commit, and survives what the server's
 * `synchronous_commit` lets it survive. A statement that the server has undone (SQLSTATE 40001 or 40P01) is put again,
 * ten times at most; a lost connection is not, because the write may have been done.
 *
 * Drivers that do not fit as they are:
 *
 * ```text
 * postgres.js  { query: async (text, values) => ({ rows: await sql.unsafe(text, values, { prepare: true }) }) }
 * Kysely       { query: (text, values) => db.executeQuery(CompiledQuery.raw(text, values)) }
 * Drizzle      db.$client, if it stands on pg, Neon or PGlite
 * Prisma       { query: async (text, values) => ({ rows: await prisma.$queryRawUnsafe(text, ...values) }) }
 * ```
 *
 * Rejects with StorageError: 503 (`STORAGE_UNAVAILABLE`) when the server is out of reach, out of resources, shutting
 * down, read-only or too busy, else 500 (`STORAGE_FAILED`), also when the tables are not there. No error keeps the
 * driver's words.
 * @throws TypeError if the schema or the prefix is not letters, digits and underscores.
 */
export function createPostgresStore(
  client: PostgresClient,
  tables: PostgresTableOptions = {},
): VaultStore {
  const names = tableNames(tables)
  const query = createQuery(client)
  return { records: createRecords(query, names), blobs: createBlobs(query, names) }
}

/**
 * The same client, which keeps its statements prepared on every connection: a quarter more of them in the same time.
 * Not for PgBouncer before 1.21, nor with its `max_prepared_statements` at 0.
 */
export function namedStatements(client: NamingPostgresClient): PostgresClient {
  const names = new Map<string, string>()
  return {
    query(text, values) {
      const name = names.get(text) ?? nameOf(text)
      names.set(text, name)
      return client.query({ name, text, values })
    },
  }
}

/**
 * Makes the tables, or brings them forward to what this version of the library needs; does nothing if they are. Several
 * processes may do it at the same time. It needs the right to create tables in the schema, which must exist; the store
 * needs only `SELECT`, `INSERT`, `UPDATE` and `DELETE`. Run it when you deploy, or when your program starts.
 * @throws StorageError if the tables were made by a newer version of the library, or the server failed.
 * @throws TypeError if the schema or the prefix is not letters, digits and underscores.
 */
export async function migratePostgres(
  client: PostgresClient,
  tables: PostgresTableOptions = {},
): Promise<void> {
  const names = tableNames(tables)
  const query = createQuery(client, isUndoneOrMade)
  const [server] = await query('SELECT version() AS name')
  const versions = migrationsFor(names, engineIn(getText(server, 'name')))
  await query(versionTable(names))
  const [row] = await query(`SELECT coalesce(max(version), 0) AS version FROM ${names.migrations}`)
  const done = getCount(row, 'version')
  if (done > versions.length)
    throw new StorageError('the tables were made by a newer version of cofferkit')
  for (const statement of versions.slice(done).flat()) await query(statement)
}

/**
 * The statements by which {@link migratePostgres} makes the tables from nothing, in order, for those who migrate with a
 * tool of their own. Each can be run by itself, and again when it has been run; none ends in a semicolon.
 * @throws TypeError if the schema or the prefix is not letters, digits and underscores.
 */
export function migrations({
  engine = 'postgresql',
  ...tables
}: PostgresMigrationOptions = {}): readonly string[] {
  const names = tableNames(tables)
  return [versionTable(names), ...migrationsFor(names, engine).flat()]
}

/** CockroachDB is the only one that must be told apart, and says its name first. */
function engineIn(name: string): PostgresEngine {
  return name.startsWith('CockroachDB') ? 'cockroachdb' : 'postgresql'
}

/** Also whether somebody else was making the same table, which `IF NOT EXISTS` does not wait for. */
function isUndoneOrMade(error: unknown): boolean {
  return isRetryable(error) || codesOf(error).some((code) => /^(?:23505|42P07|42710)$/.test(code))
}

/** Texts of 64 bits' difference: FNV-1a (Fowler, Noll, Vo). */
function nameOf(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return `cofferkit_${hash.toString(16)}`
}
