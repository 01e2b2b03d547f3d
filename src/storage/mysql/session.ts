/** Checks the settings of a session that the promises of a store depend on. */

import { StorageError, StorageUnavailableError } from '../../errors.js'
import { safeGet } from '../../safe-get.js'
import { getCount } from '../sql/row.js'
import type { MysqlClient, MysqlValue } from './client.js'
import { isUnknownVariable } from './errors.js'
import { getRows } from './results.js'
import type { TableNames } from './tables.js'

/** A session with settings that a store can use. */
export interface MysqlSession {
  /** `max_allowed_packet`: bytes of a statement with its parameters, at most. */
  readonly maxPacketBytes: number
}

/**
 * Reads the settings. Rejects with an error of the driver, or with a StorageError if a promise of
 * stores would be broken:
 *
 * - without `autocommit`, an acknowledged write would not be committed,
 * - at `READ UNCOMMITTED`, a read would return what is rolled back afterwards,
 * - in the mode `EMPTY_STRING_IS_NULL`, empty bytes would be stored as null,
 * - a read-only server is a replica, which can return old data (`STORAGE_UNAVAILABLE`, because a
 *   fail-over can end that),
 * - tables of another engine than InnoDB are neither atomic nor durable.
 */
export async function readSession(client: MysqlClient, names: TableNames): Promise<MysqlSession> {
  const row = await selectSettings(client, names)
  const text = (name: string): string => String(safeGet(row, name))
  if (text('autocommit') !== '1') throw settingError('autocommit must be on')
  if (/UNCOMMITTED/i.test(text('isolation')))
    throw settingError('the isolation level must not be READ UNCOMMITTED')
  if (/EMPTY_STRING_IS_NULL/i.test(text('mode')))
    throw settingError('sql_mode must not contain EMPTY_STRING_IS_NULL')
  if (getCount(row, 'otherTables') > 0) throw settingError('the tables must use the engine InnoDB')
  if (![text('readOnly'), text('engineReadOnly')].every((value) => /^(?:0|OFF)$/i.test(value)))
    throw new StorageUnavailableError('the server is read-only: connect to the primary server')
  return { maxPacketBytes: getCount(row, 'maxPacket') }
}

async function selectSettings(client: MysqlClient, names: TableNames): Promise<unknown> {
  const select = (isolation: string): Promise<unknown> => {
    const { text, values } = settingsStatement(isolation, names)
    return client.execute(text, values)
  }
  const result = await select('transaction_isolation').catch((error: unknown) => {
    // MariaDB before 11.1.
    if (isUnknownVariable(error)) return select('tx_isolation')
    throw error
  })
  return getRows(result)[0]
}

function settingsStatement(
  isolation: string,
  { database, plain }: TableNames,
): { readonly text: string; readonly values: MysqlValue[] } {
  return {
    text: `SELECT @@autocommit AS autocommit, @@${isolation} AS isolation, @@sql_mode AS mode,
      @@max_allowed_packet AS maxPacket, @@read_only AS readOnly,
      @@innodb_read_only AS engineReadOnly,
      (SELECT count(*) FROM information_schema.tables
        WHERE table_schema = coalesce(?, database()) AND table_name IN (?, ?, ?)
        AND engine <> 'InnoDB') AS otherTables`,
    values: [database ?? null, ...plain],
  }
}

function settingError(message: string): StorageError {
  return new StorageError(`the store cannot use this client: ${message}`)
}
