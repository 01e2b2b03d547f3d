/** Names the tables of a MySQL store. */

import { assertIdentifier } from '../sql/identifier.js'

/** The location of the tables of a store. */
export interface MysqlTableOptions {
  /**
   * An existing database: 1 to 64 letters, digits and underscores, not beginning with a digit. The
   * current database of the connection if absent.
   */
  readonly database?: string | undefined
  /**
   * The beginning of the names of the tables: 1 to 40 letters, digits and underscores, not
   * beginning with a digit. `cofferkit_` if absent.
   */
  readonly tablePrefix?: string | undefined
}

/** Names of tables, quoted and qualified for use in statements. */
export interface TableNames {
  readonly records: string
  readonly blobs: string
  readonly chunks: string
  readonly migrations: string
  /** The database that contains the tables; undefined for the current one of the connection. */
  readonly database: string | undefined
  /** The names of the tables that contain data, without quotes and database. */
  readonly plain: readonly string[]
}

/** Returns the names of the tables. @throws TypeError if an option has an invalid format. */
export function tableNames({
  database,
  tablePrefix = 'cofferkit_',
}: MysqlTableOptions): TableNames {
  if (database !== undefined) assertIdentifier(database, 'database', 64)
  assertIdentifier(tablePrefix, 'tablePrefix', 40)
  const qualifier = database === undefined ? '' : `\`${database}\`.`
  const table = (name: string): string => `${qualifier}\`${tablePrefix}${name}\``
  return {
    records: table('records'),
    blobs: table('blobs'),
    chunks: table('chunks'),
    migrations: table('migrations'),
    database,
    plain: ['records', 'blobs', 'chunks'].map((name) => `${tablePrefix}${name}`),
  }
}
