/** Runs statements, and retries those that the server has rolled back. */

import { retryStatement } from '../sql/retry.js'
import type { PostgresClient } from './client.js'
import { isRetryable, toStorageError } from './errors.js'

/** Runs a statement, and resolves with its rows. Rejects with a StorageError: `toStorageError`. */
export type Query = (text: string, values?: unknown[]) => Promise<readonly unknown[]>

/**
 * Creates a `Query` on the client. If `canRetry` returns true for an error, the statement is
 * retried: see `retryStatement`.
 */
export function createQuery(client: PostgresClient, canRetry = isRetryable): Query {
  return (text, values = []) =>
    retryStatement(async () => (await client.query(text, values)).rows, {
      canRetry,
      toError: toStorageError,
    })
}
