/** Runs statements in the application's transaction. */

import { redactError } from '../../base/redact-error.js'
import { ConflictError, StorageError, type VaultError } from '../../errors.js'
import type { TransactionClient } from '../../store.js'
import { isRetryableCode, listErrorCodes, toStorageError } from './errors.js'
import type { Query } from './query.js'
import type { TableNames } from './tables.js'

/** SQLSTATE of a statement that needs a transaction. */
const noTransaction = '25P01'
/** SQLSTATE of a statement after one that has failed in the same transaction. */
const failedTransaction = '25P02'

/**
 * Creates a `Query` in the transaction of a client. No statement is repeated, because a failed one
 * has aborted the transaction. The first statement locks the table of records in the same mode as
 * every read does. The server refuses that outside a transaction, so nothing is written through a
 * client that is not in one.
 */
export function joinTransaction(client: TransactionClient, { records }: TableNames): Query {
  const run = async (text: string, values: unknown[]): Promise<readonly unknown[]> => {
    try {
      return (await client.query(text, values)).rows
    } catch (error) {
      throw toTransactionError(error)
    }
  }
  let joined: Promise<unknown> | undefined
  return async (text, values = []) => {
    joined ??= run(`LOCK TABLE ${records} IN ACCESS SHARE MODE`, [])
    await joined
    return run(text, values)
  }
}

/** Converts an error of the driver. */
function toTransactionError(error: unknown): VaultError {
  const codes = listErrorCodes(error)
  const code = codes.find(isRetryableCode)
  if (code !== undefined) {
    const cause = Object.assign(redactError({ name: 'Error', code }), { code })
    return new ConflictError('a concurrent transaction has won', { cause })
  }
  const toError = (message: string): StorageError =>
    new StorageError(message, { cause: redactError({ code: codes.at(-1) }) })
  if (codes.includes(noTransaction)) return toError('the client is not in a transaction: begin one')
  if (codes.includes(failedTransaction))
    return toError('an earlier statement of the transaction has failed: roll it back')
  return toStorageError(error)
}
