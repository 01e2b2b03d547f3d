/** The tables of a PostgreSQL store, version by version. */

import type { TableNames } from './tables.js'

/**
 * Which words the server takes. CockroachDB sorts texts by their bytes and takes no `COLLATE "C"` in a table; all others
 * are `postgresql`.
 */
export type PostgresEngine = 'postgresql' | 'cockroachdb'

/** The statement that makes the table of the versions. */
export function versionTable({ migrations }: TableNames): string {
  return `CREATE TABLE IF NOT EXISTS ${migrations} (version int4 NOT NULL PRIMARY KEY)`
}

/**
 * The statements of every version, the first for version 1. Each can be run by itself, and again when it has been run;
 * the last of a version notes that it is done.
 */
export function migrationsFor(
  names: TableNames,
  engine: PostgresEngine,
): readonly (readonly string[])[] {
  const text = engine === 'cockroachdb' ? 'text' : 'text COLLATE "C"'
  return [tablesOf(names, text)].map((statements, index) => [
    ...statements,
    `INSERT INTO ${names.migrations} (version) VALUES (${index + 1}) ON CONFLICT DO NOTHING`,
  ])
}

/** Version 1. */
function tablesOf({ records, labels, blobs, chunks }: TableNames, text: string): string[] {
  return [
    `CREATE TABLE IF NOT EXISTS ${records} (
  collection ${text} NOT NULL,
  id ${text} NOT NULL,
  version int4 NOT NULL,
  label ${text},
  body bytea NOT NULL,
  PRIMARY KEY (collection, id)
)`,
    `CREATE INDEX IF NOT EXISTS ${labels} ON ${records} (collection, label, id)`,
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
