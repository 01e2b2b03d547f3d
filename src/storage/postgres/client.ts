/** Describes a PostgreSQL driver. */

/**
 * A pool, or a connection that is not in a transaction: the member that the store uses of
 * `pg.Pool`, `pg.Client`, Neon's `Pool` or PGlite.
 */
export interface PostgresClient {
  /**
   * Runs one statement, which commits by itself. `values` are its parameters `$1`, `$2`, ...:
   * strings, numbers, bytes or null. In the result, `text` is a string, `int4` a number and `bytea`
   * a Uint8Array.
   */
  query(text: string, values: unknown[]): Promise<PostgresResult>
}

/** The result of a statement. */
export interface PostgresResult {
  /** One object per row, with one member per column. */
  readonly rows: readonly unknown[]
  /**
   * The number of rows that the statement has written, as the server reports it: for an `UPDATE`
   * without `RETURNING`, too. With the option `prepare`, the store uses it if it is there.
   */
  readonly rowCount?: number | null | undefined
}

/**
 * A client that can keep a statement prepared under a name: `pg.Pool`, `pg.Client` and Neon's
 * `Pool`.
 */
export interface PreparingPostgresClient {
  /** Runs one statement like {@link PostgresClient}, and prepares it once on each connection. */
  query(statement: PreparedStatement): Promise<PostgresResult>
}

/** A statement with the name under which it is prepared. */
export interface PreparedStatement {
  /** At most 63 characters. Statements have the same name only if their text is the same. */
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}
