/** The tables of a PostgreSQL store: their names, and the statements that create them, by version. */

import { defineOptions, type OptionKinds, type OptionValues, optional } from '../../base/options.js'
import { identifier } from '../sql/identifier.js'

/** The location of the tables of a store. */
export interface PostgresTableOptions {
  /**
   * The schema: 1 to 63 letters, digits and underscores, not beginning with a digit. Default: the
   * first schema of the connection's search path.
   */
  readonly schema?: string | undefined
  /**
   * The beginning of the names of the tables: 1 to 40 letters, digits and underscores, not
   * beginning with a digit. Default: `cofferkit_`.
   */
  readonly tablePrefix?: string | undefined
}

/** The definition of {@link PostgresTableOptions}. */
export const tableOptions = defineOptions({
  schema: optional(identifier(63)),
  tablePrefix: optional(identifier(40), 'cofferkit_'),
} satisfies OptionKinds<PostgresTableOptions>)

/** Names of tables, quoted and qualified for use in statements. */
export interface TableNames {
  readonly records: string
  readonly blobs: string
  readonly chunks: string
  readonly migrations: string
  /** The index of the records by index key. It is in the schema of its table. */
  readonly recordsByIndexKey: string
}

/** Returns the names of the tables. */
export function tableNames({
  schema,
  tablePrefix,
}: OptionValues<typeof tableOptions.kinds>): TableNames {
  const quoted = (name: string): string => `"${tablePrefix}${name}"`
  const table = (name: string): string =>
    schema === undefined ? quoted(name) : `"${schema}".${quoted(name)}`
  return {
    records: table('records'),
    blobs: table('blobs'),
    chunks: table('chunks'),
    migrations: table('migrations'),
    recordsByIndexKey: quoted('records_by_index_key'),
  }
}

/**
 * The dialect of the statements. CockroachDB sorts strings by their bytes and does not accept
 * `COLLATE "C"` in a table. All other databases are `postgresql`.
 */
export type PostgresEngine = 'postgresql' | 'cockroachdb'

/** Returns the statement that creates a schema. */
export function schemaStatement(schema: string): string {
  return `CREATE SCHEMA IF NOT EXISTS "${schema}"`
}

/** Returns the statement that creates the table of completed migrations. */
export function migrationsTableStatement({ migrations }: TableNames): string {
  return `CREATE TABLE IF NOT EXISTS ${migrations} (version int4 NOT NULL PRIMARY KEY)`
}

/**
 * Returns the statements of every version. The first element creates version 1. Each statement can
 * run on its own, and can be repeated. The last one of a version records that the version is
 * complete.
 */
export function migrationsFor(
  names: TableNames,
  engine: PostgresEngine,
): readonly (readonly string[])[] {
  const versionOne = [...recordStatements(names, engine), ...blobStatements(names, engine)]
  return [[...versionOne, versionStatement(names, 1)]]
}

/** Returns the statement that records that a version is complete. */
export function versionStatement({ migrations }: TableNames, version: number): string {
  return `INSERT INTO ${migrations} (version) VALUES (${version}) ON CONFLICT DO NOTHING`
}

/** Returns the statements that create the table of records. */
export function recordStatements(
  { records, recordsByIndexKey }: TableNames,
  engine: PostgresEngine,
): string[] {
  const text = textType(engine)
  return [
    `CREATE TABLE IF NOT EXISTS ${records} (
  collection ${text} NOT NULL,
  id ${text} NOT NULL,
  version int4 NOT NULL,
  index_key ${text},
  body bytea NOT NULL,
  PRIMARY KEY (collection, id)
)`,
    `CREATE INDEX IF NOT EXISTS ${recordsByIndexKey} ON ${records} (collection, index_key, id)`,
  ]
}

/** Returns the statements that create the tables of files. */
export function blobStatements({ blobs, chunks }: TableNames, engine: PostgresEngine): string[] {
  const text = textType(engine)
  return [
    `CREATE TABLE IF NOT EXISTS ${blobs} (
  id ${text} NOT NULL PRIMARY KEY,
  writer ${text} NOT NULL,
  chunks int4
)`,
    `CREATE TABLE IF NOT EXISTS ${chunks} (
  id ${text} NOT NULL REFERENCES ${blobs} (id) ON DELETE CASCADE,
  writer ${text} NOT NULL,
  n int4 NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (id, writer, n)
)`,
  ]
}

function textType(engine: PostgresEngine): string {
  return engine === 'cockroachdb' ? 'text' : 'text COLLATE "C"'
}
