/** The statements that create the tables of a PostgreSQL store, by version. */

import type { TableNames } from './tables.js'

/**
 * The dialect of the statements. CockroachDB sorts strings by their bytes and does not accept
 * `COLLATE "C"` in a table. All other databases are `postgresql`.
 */
export type PostgresEngine = 'postgresql' | 'cockroachdb'

/** Returns the statement that creates the table of completed migrations. */
export function migrationsTableStatement({ migrations }: TableNames): string {
  return `CREATE TABLE IF NOT EXISTS ${migrations} (version int4 NOT NULL PRIMARY KEY)`
}

/**
 * Returns the statements of every version; the first element creates version 1. Each statement can
 * run on its own, and can run again. The last one of a version records that the version is
 * complete.
 */
export function migrationsFor(
  names: TableNames,
  engine: PostgresEngine,
): readonly (readonly string[])[] {
  const text = engine === 'cockroachdb' ? 'text' : 'text COLLATE "C"'
  return [versionOneStatements(names, text)].map((statements, index) => [
    ...statements,
    `INSERT INTO ${names.migrations} (version) VALUES (${index + 1}) ON CONFLICT DO NOTHING`,
  ])
}

function versionOneStatements(
  { records, recordsByIndexKey, blobs, chunks }: TableNames,
  text: string,
): string[] {
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
