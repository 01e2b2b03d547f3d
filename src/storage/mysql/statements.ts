/** Runs statements, and retries those that the server has rolled back. */

import { StorageUnavailableError } from '../../errors.js'
import { retryStatement } from '../sql/retry.js'
import type { MysqlClient, MysqlValue } from './client.js'
import { isDuplicateKey, isRetryable, packetTooLargeError, toVaultError } from './errors.js'
import { getAffectedRows, getRows } from './results.js'
import { type MysqlSession, readSession } from './session.js'
import type { TableNames } from './tables.js'

/** A statement on a lock that is held for long is not repeated after this time. */
const maxTotalMs = 5_000
/** Bytes of a packet beside the values, more than any statement needs. */
const packetOverhead = 1024

/** Runs statements. All reject with a VaultError: `toVaultError`. */
export interface Statements {
  /** Returns the rows that a statement reads. */
  select(text: string, values: MysqlValue[]): Promise<readonly unknown[]>
  /** Returns the number of rows that a statement has written. */
  change(text: string, values: MysqlValue[]): Promise<number>
  /** Inserts one row. Returns false if a row with its key exists. */
  insert(text: string, values: MysqlValue[]): Promise<boolean>
}

/**
 * Creates statements on the client. Before the first one, and after each loss of the connection,
 * the settings of a session are checked: see `readSession`.
 */
export function createStatements(
  client: MysqlClient,
  names: TableNames,
  canRetry = isRetryable,
): Statements {
  let session: MysqlSession | undefined
  const toError = (error: unknown): unknown => {
    const converted = toVaultError(error)
    if (converted instanceof StorageUnavailableError) session = undefined
    return converted
  }
  const retry = { canRetry, toError, maxTotalMs }
  const execute = async (text: string, values: MysqlValue[]): Promise<unknown> => {
    session ??= await readSession(client, names)
    if (countBytes(values) + packetOverhead > session.maxPacketBytes) throw packetTooLargeError()
    return client.execute(text, values)
  }
  return {
    select: (text, values) =>
      retryStatement(async () => getRows(await execute(text, values)), retry),
    change: (text, values) =>
      retryStatement(async () => getAffectedRows(await execute(text, values)), retry),
    insert: (text, values) =>
      retryStatement(async () => {
        try {
          return getAffectedRows(await execute(text, values)) === 1
        } catch (error) {
          if (isDuplicateKey(error)) return false
          throw error
        }
      }, retry),
  }
}

function countBytes(values: readonly MysqlValue[]): number {
  return values.reduce<number>(
    (sum, value) => sum + (value instanceof Uint8Array ? value.length : 0),
    0,
  )
}
