/** The tables of a MySQL store: their names, their keys, and the statements that create them. */

import { Buffer } from 'node:buffer'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../../base/options.js'
import { safeGet } from '../../base/safe-get.js'
import { StorageError } from '../../errors.js'
import { identifier } from '../sql/identifier.js'
import { getBytes } from '../sql/row.js'

/** The location of the tables of a store. */
export interface MysqlTableOptions {
  /**
   * An existing database: 1 to 64 letters, digits and underscores, not beginning with a digit.
   * Default: the current database of the connection.
   */
  readonly database?: string | undefined
  /**
   * The beginning of the names of the tables: 1 to 40 letters, digits and underscores, not
   * beginning with a digit. Default: `cofferkit_`.
   */
  readonly tablePrefix?: string | undefined
}

/** Names of tables, quoted and qualified for use in statements. */
export interface TableNames {
  readonly records: string
  readonly blobs: string
  readonly chunks: string
  readonly migrations: string
  /** The database that contains the tables. Undefined for the connection's current database. */
  readonly database: string | undefined
  /** The names of the tables that contain data, without quotes and database. */
  readonly plain: readonly string[]
  /** The name of the table of records, without quotes and database. */
  readonly plainRecords: string
  /** The name of the table of completed migrations, without quotes and database. */
  readonly plainMigrations: string
}

/** The definition of {@link MysqlTableOptions}. */
export const tableOptions = defineOptions({
  database: optional(identifier(64)),
  tablePrefix: optional(identifier(40), 'cofferkit_'),
} satisfies OptionKinds<MysqlTableOptions>)

/** Returns the names of the tables. */
export function tableNames({
  database,
  tablePrefix,
}: OptionValues<typeof tableOptions.kinds>): TableNames {
  const qualifier = database === undefined ? '' : `\`${database}\`.`
  const table = (name: string): string => `${qualifier}\`${tablePrefix}${name}\``
  return {
    records: table('records'),
    blobs: table('blobs'),
    chunks: table('chunks'),
    migrations: table('migrations'),
    database,
    plainRecords: `${tablePrefix}records`,
    plainMigrations: `${tablePrefix}migrations`,
    plain: ['records', 'blobs', 'chunks'].map((name) => `${tablePrefix}${name}`),
  }
}

/** The bytes of the columns for ids. A blob's id is a vault's id and 27 characters. */
const maxIdBytes = 255
/** The bytes of the column for index keys: 128 characters of UTF-8. */
const maxIndexKeyBytes = 512

/**
 * Returns the bytes of a collection or id. The length is checked here, because depending on
 * `sql_mode`, the server rejects or truncates a value that is too long.
 * @throws StorageError (`STORAGE_FAILED`) if the column cannot contain all bytes.
 */
export function toId(id: string): Buffer {
  return toKey(id, maxIdBytes)
}

/** Like {@link toId}, for an index key. Null if the record has none. */
export function toIndexKey(indexKey: string | undefined): Buffer | null {
  return indexKey === undefined ? null : toKey(indexKey, maxIndexKeyBytes)
}

/** Returns the same bytes as a Buffer, because the drivers treat any other array as an object. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Returns the text of a binary column. @throws StorageError if it is not bytes. */
export function getKey(row: unknown, column: string): string {
  const value = safeGet(row, column)
  return (Buffer.isBuffer(value) ? value : toBuffer(getBytes(row, column))).toString()
}

function toKey(text: string, maxBytes: number): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > maxBytes)
    throw new StorageError(`a key is longer than ${maxBytes} bytes, which the tables cannot store`)
  return bytes
}

/** Rows of this format are compared by the bytes of their keys, and are durable and atomic. */
const format = 'ENGINE = InnoDB ROW_FORMAT = DYNAMIC'

/** Returns the statement that creates the table of completed migrations. */
export function migrationsTableStatement({ migrations }: TableNames): string {
  return `CREATE TABLE IF NOT EXISTS ${migrations} (version int NOT NULL PRIMARY KEY) ${format}`
}

/**
 * Returns the statements of every version. The first element creates version 1. Each statement can
 * run on its own, can be repeated, and can run in several processes at once. The last one of a
 * version records that the version is complete.
 */
export function migrationsFor(names: TableNames): readonly (readonly string[])[] {
  return [versionOneStatements(names)].map((statements, index) => [
    ...statements,
    `INSERT IGNORE INTO ${names.migrations} (version) VALUES (${index + 1})`,
  ])
}

/** The server computes `size`, so that the end of a page is found without the bodies. */
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
