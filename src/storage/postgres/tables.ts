/** Names the tables of a PostgreSQL store. */

import { assertIdentifier } from '../sql/identifier.js'

/** The location of the tables of a store. */
export interface PostgresTableOptions {
  /**
   * An existing schema: 1 to 63 letters, digits and underscores, not beginning with a digit. The
   * first schema of the connection's search path if absent.
   */
  readonly schema?: string | undefined
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
  /** The index of the records by index key. It is in the schema of its table. */
  readonly recordsByIndexKey: string
}

/** Returns the names of the tables. @throws TypeError if an option has an invalid format. */
export function tableNames({
  schema,
  tablePrefix = 'cofferkit_',
}: PostgresTableOptions): TableNames {
  if (schema !== undefined) assertIdentifier(schema, 'schema', 63)
  assertIdentifier(tablePrefix, 'tablePrefix', 40)
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
