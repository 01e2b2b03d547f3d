/** Reads the results of a statement, which each driver returns in a form of its own. */

import { StorageError } from '../../errors.js'
import { safeGet } from '../../safe-get.js'
import { getCount } from '../sql/row.js'

/** The connection is in a transaction (flag of the MySQL protocol's server status). */
const inTransaction = 1

/** Returns the rows: `[rows, fields]` of mysql2, or `rows` of mariadb. */
export function getRows(result: unknown): readonly unknown[] {
  if (!Array.isArray(result)) throw new StorageError('unexpected data in the database')
  return Array.isArray(result[0]) ? result[0] : result
}

/**
 * Returns the number of rows that were written: `[header, undefined]` of mysql2, or the header of
 * mariadb.
 * @throws StorageError if it is not in the result, or if mysql2 reports that the statement has not
 * committed.
 */
export function getAffectedRows(result: unknown): number {
  const header = Array.isArray(result) ? result[0] : result
  const status = safeGet(header, 'serverStatus')
  if (typeof status === 'number' && (status & inTransaction) !== 0)
    throw new StorageError('the client is in a transaction, so that nothing was committed')
  return getCount(header, 'affectedRows')
}
