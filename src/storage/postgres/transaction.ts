/** Finds out whether a PostgreSQL client is in a transaction. */

import { getCount, getText } from '../sql/row.js'
import { listErrorCodes, toStorageError } from './errors.js'
import type { PostgresClient } from './query.js'

/** A statement, and a function that reads from its row whether a transaction could roll back. */
interface Question {
  readonly text: string
  canRollBack(row: unknown): boolean
}

/**
 * A statement on its own has no transaction id, because it writes nothing. Within a transaction
 * that has written something, it has the transaction's id.
 */
const questions: readonly Question[] = [
  'pg_current_xact_id_if_assigned()', // PostgreSQL 13
  'txid_current_if_assigned()', // PostgreSQL 10
].map((call) => ({
  text: `SELECT CASE WHEN ${call} IS NULL THEN 0 ELSE 1 END AS transactions`,
  canRollBack: (row) => getCount(row, 'transactions') > 0,
}))

const questionOfCockroach: Question = {
  text: 'SHOW TRANSACTION STATUS',
  canRollBack: (row) => Object.values(Object(row))[0] !== 'NoTxn',
}

const undefinedFunction = '42883'
const inFailedTransaction = '25P02'

/**
 * Returns a function that resolves with true if a transaction can still roll back what the client
 * has written just before.
 *
 * A server that does not know the function rejects the statement. Within a transaction, that also
 * aborts the transaction, so the next statement is rejected as well. That is the answer.
 */
export function createTransactionCheck(client: PostgresClient): () => Promise<boolean> {
  let known: readonly Question[] | undefined
  const findQuestions = async (): Promise<readonly Question[]> => {
    const { rows } = await client.query('SELECT version() AS name', [])
    return isCockroach(getText(rows[0], 'name')) ? [questionOfCockroach] : questions
  }
  return async () => {
    try {
      known ??= await findQuestions()
      for (const question of known) {
        try {
          const { rows } = await client.query(question.text, [])
          known = [question]
          return question.canRollBack(rows[0])
        } catch (error) {
          if (!listErrorCodes(error).includes(undefinedFunction)) throw error
        }
      }
      await client.query('SELECT 1', [])
      return false
    } catch (error) {
      if (listErrorCodes(error).includes(inFailedTransaction)) return true
      throw toStorageError(error)
    }
  }
}

/** Returns true for CockroachDB. @param version The result of `version()`. */
export function isCockroach(version: string): boolean {
  return version.startsWith('CockroachDB')
}
