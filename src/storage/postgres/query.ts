/**
 * Describes a PostgreSQL driver, and runs its statements. Those that the server has rolled back are
 * retried.
 */

import { StorageError } from '../../errors.js'
import { retryStatement } from '../sql/retry.js'
import { isRetryable, toStorageError } from './errors.js'

/**
 * A pool, or a connection that is not in a transaction: the part of `pg.Pool`, `pg.Client`, Neon's
 * `Pool` or PGlite that the store uses.
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
   * The number of rows that the statement has written, as the server reports it, even for an
   * `UPDATE` without `RETURNING`. With the option `prepare`, the store uses this number instead of
   * `RETURNING` if the client reports it.
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
  /** At most 63 characters. Two statements have the same name only if their text is the same. */
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

/** Runs a statement, and resolves with its rows. Rejects with a StorageError (`toStorageError`). */
export type Query = (text: string, values?: unknown[]) => Promise<readonly unknown[]>

/**
 * Creates a `Query` on the client. If `canRetry` returns true for an error, the statement is
 * retried (see `retryStatement`).
 */
export function createQuery(client: PostgresClient, canRetry = isRetryable): Query {
  return (text, values = []) =>
    retryStatement(async () => (await client.query(text, values)).rows, {
      canRetry,
      toError: toStorageError,
    })
}

/** Returns a client that runs every statement as a prepared one. Its name depends on its text. */
export function prepareStatements(client: PreparingPostgresClient): PostgresClient {
  const names = new Map<string, string>()
  return {
    query(text, values) {
      const name = names.get(text) ?? statementName(text)
      names.set(text, name)
      return client.query({ name, text, values })
    },
  }
}

/** Returns `cofferkit_` and the 64-bit FNV-1a hash (Fowler, Noll, Vo) of the text. */
function statementName(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(text))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  return `cofferkit_${hash.toString(16)}`
}

/**
 * Returns a client for statements that write at most one row and end with `RETURNING`. It leaves
 * `RETURNING` out as soon as the client has reported a row count for a written row. The rows of the
 * result are then empty objects. Returning a row would cost the driver about a fifth of its work.
 */
export function omitReturning(client: PostgresClient): PostgresClient {
  let reportsCount = false
  return {
    async query(text, values): Promise<PostgresResult> {
      const start = text.lastIndexOf(' RETURNING ')
      if (start < 0) return client.query(text, values)
      if (!reportsCount) {
        const result = await client.query(text, values)
        reportsCount = result.rows.length === 1 && result.rowCount === 1
        return result
      }
      const { rowCount } = await client.query(text.slice(0, start), values)
      if (rowCount !== 0 && rowCount !== 1)
        throw new StorageError('the client did not report whether a row was written')
      return { rows: rowCount === 0 ? [] : [{}] }
    },
  }
}
