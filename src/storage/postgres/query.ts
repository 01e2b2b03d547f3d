/** Puts a statement to a PostgreSQL server, and again when the server has undone it for the sake of others. */

import type { PostgresClient } from './client.js'
import { isUndone, storageErrorOf } from './errors.js'

const mostTries = 10
const longestPause = 250

/** Resolves with the rows that the statement answers. @throws StorageError */
export type Query = (text: string, values?: unknown[]) => Promise<readonly unknown[]>

/**
 * Asks this client. A statement that fails so that `mayRepeat` holds is put again, ten times at most, after a random
 * pause that may double each time. What fails otherwise may have been done, and is never put again.
 */
export function createQuery(client: PostgresClient, mayRepeat = isUndone): Query {
  return async (text, values = []) => {
    for (let tries = 1; ; tries++) {
      try {
        return (await client.query(text, values)).rows
      } catch (error) {
        if (tries === mostTries || !mayRepeat(error)) throw storageErrorOf(error)
      }
      const pause = Math.random() * Math.min(longestPause, 4 * 2 ** tries)
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}
