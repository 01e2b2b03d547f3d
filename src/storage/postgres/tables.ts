/** Names the tables of a PostgreSQL store. */

/** Where the tables of a store are. */
export interface PostgresTableOptions {
  /** A schema that exists; the first of the connection's search path if absent. At most 63 characters. */
  readonly schema?: string | undefined
  /** What the tables' names begin with; `cofferkit_` if absent. At most 40 characters. */
  readonly tablePrefix?: string | undefined
}

/** Names as they are written into statements. */
export interface TableNames {
  readonly records: string
  readonly blobs: string
  readonly chunks: string
  readonly migrations: string
  /** The index of the records by label; it is in the schema of its table. */
  readonly labels: string
}

/** The names of these tables. @throws TypeError if a part of them is not letters, digits and underscores. */
export function tableNames({
  schema,
  tablePrefix = 'cofferkit_',
}: PostgresTableOptions): TableNames {
  if (schema !== undefined) requireIdentifier(schema, 'schema', 63)
  requireIdentifier(tablePrefix, 'tablePrefix', 40)
  const quoted = (name: string): string => `"${tablePrefix}${name}"`
  const table = (name: string): string =>
    schema === undefined ? quoted(name) : `"${schema}".${quoted(name)}`
  return {
    records: table('records'),
    blobs: table('blobs'),
    chunks: table('chunks'),
    migrations: table('migrations'),
    labels: quoted('records_by_label'),
  }
}

function requireIdentifier(name: string, option: string, most: number): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name.length > most)
    throw new TypeError(`${option} must be 1 to ${most} letters, digits and underscores`)
}
