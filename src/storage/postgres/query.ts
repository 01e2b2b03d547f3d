/** Runs statements, and retries those that the server has rolled back. */

import type { PostgresClient } from './client.js'
import { isRetryable, toStorageError } from './errors.js'

const maxAttempts = 10
const maxDelayMs = 250

/** Runs a statement, and resolves with its rows. Rejects with a StorageError: `toStorageError`. */
export type Query = (text: string, values?: unknown[]) => Promise<readonly unknown[]>

/**
 * Creates a `Query` on the client. If `canRetry` returns true for an error, the statement is
 * retried after a random delay of at most 250 ms, whose upper limit doubles each time, at most ten
 * attempts in all. After any other error the statement may have been executed, so it is never
 * retried.
 */
export function createQuery(client: PostgresClient, canRetry = isRetryable): Query {
  return async (text, values = []) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return (await client.query(text, values)).rows
      } catch (error) {
        if (attempt === maxAttempts || !canRetry(error)) throw toStorageError(error)
      }
      const delay = Math.random() * Math.min(maxDelayMs, 4 * 2 ** attempt)
      await new Promise((resolve) => setTimeout(resolve, delay))
    }
  }
}
