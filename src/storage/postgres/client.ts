/** What is asked of a PostgreSQL driver. */

/** A pool, or a connection that is in no transaction. `pg.Pool`, `pg.Client`, Neon's `Pool` and PGlite fit as they are. */
export interface PostgresClient {
  /**
   * Runs one statement, committed by itself, whose parameters `$1`, `$2`, ... are `values`: strings, numbers, bytes or
   * null. Texts are answered as strings, `int4` as numbers, `bytea` as Uint8Array.
   */
  query(text: string, values: unknown[]): Promise<PostgresResult>
}

/** What a statement has answered. */
export interface PostgresResult {
  /** An object for each row, its members named like the columns. */
  readonly rows: readonly unknown[]
}

/** A client that can keep a statement prepared under a name: `pg.Pool`, `pg.Client` and Neon's `Pool`. */
export interface NamingPostgresClient {
  /** Runs the statement, as {@link PostgresClient} does. */
  query(statement: NamedStatement): Promise<PostgresResult>
}

/** A statement, and the name under which each connection prepares it once. */
export interface NamedStatement {
  /** At most 63 characters; always the same for the same text, and another for another. */
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}
