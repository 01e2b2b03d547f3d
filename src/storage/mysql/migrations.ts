/** The statements that create the tables of a MySQL store, by version. */

import { maxIdBytes, maxIndexKeyBytes } from './keys.js'
import type { TableNames } from './tables.js'

/** Rows of this format are compared by the bytes of their keys, and are durable and atomic. */
const format = 'ENGINE = InnoDB ROW_FORMAT = DYNAMIC'

/** Returns the statement that creates the table of completed migrations. */
export function migrationsTableStatement({ migrations }: TableNames): string {
  return `CREATE TABLE IF NOT EXISTS ${migrations} (version int NOT NULL PRIMARY KEY) ${format}`
}

/**
 * Returns the statements of every version; the first element creates version 1. Each statement can
 * run on its own, can run again, and can run in several processes at once. The last one of a
 * version records that the version is complete.
 */
export function migrationsFor(names: TableNames): readonly (readonly string[])[] {
  return [versionOneStatements(names)].map((statements, index) => [
    ...statements,
    `INSERT IGNORE INTO ${names.migrations} (version) VALUES (${index + 1})`,
  ])
}

/** `size` is computed by the server, so that the end of a page is found without the bodies. */
function versionOneStatements({ records, blobs, chunks }: TableNames): string[] {
  const id = `varbinary(${maxIdBytes})`
  const writer = 'varbinary(36)'
  return [
    `CREATE TABLE IF NOT EXISTS ${records} (
  collection ${id} NOT NULL,
  id ${id} NOT NULL,
  version bigint NOT NULL,
  index_key varbinary(${maxIndexKeyBytes}),
  \`body\` longblob NOT NULL,
  size bigint AS (octet_length(\`body\`)) STORED,
  PRIMARY KEY (collection, id),
  KEY by_index_key (collection, index_key, id)
) ${format}`,
    `CREATE TABLE IF NOT EXISTS ${blobs} (
  id ${id} NOT NULL PRIMARY KEY,
  writer ${writer} NOT NULL,
  chunks bigint
) ${format}`,
    `CREATE TABLE IF NOT EXISTS ${chunks} (
  id ${id} NOT NULL,
  writer ${writer} NOT NULL,
  n bigint NOT NULL,
  bytes longblob NOT NULL,
  PRIMARY KEY (id, writer, n),
  FOREIGN KEY (id) REFERENCES ${blobs} (id) ON DELETE CASCADE
) ${format}`,
  ]
}
