/** Puts a statement to a PostgreSQL server, and again when the server has undone it for the sake of others. */

import type { PostgresClient } from './client.js'
import { isRetryable, toStorageError } from './errors.js'

const maxAttempts = 10
const maxDelayMs = 250

/** Resolves with the rows that the statement answers. @throws StorageError */
export type Query = (text: string, values?: unknown[]) => Promise<readonly unknown[]>

/**
 * Asks this client. A statement that fails so that `mayRepeat` holds is put again, ten times at most, after a random
 * pause that may double each time. What fails otherwise may have been done, and is never put again.
 */
export function createQuery(client: PostgresClient, mayRepeat = isRetryable): Query {
  return async (text, values = []) => {
    for (let tries = 1; ; tries++) {
      try {
        return (await client.query(text, values)).rows
      } catch (error) {
        if (tries === maxAttempts || !mayRepeat(error)) throw toStorageError(error)
      }
      const pause = Math.random() * Math.min(maxDelayMs, 4 * 2 ** tries)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
