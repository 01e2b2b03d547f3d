/** Stores records by an asynchronous client of SQLite, with one statement for each operation. */

import type { RecordStore, StoredRecord } from '../../store.js'
import { getBytes, getInteger, getText } from '../sql/row.js'
import { pageStatements, recordStatements } from '../sql/sqlite-statements.js'
import type { Runner } from './client.js'

/** Creates the record store of a database that has the tables. */
export function createLibsqlRecords({ query }: Runner): RecordStore {
  const { select, insert, update, remove } = recordStatements
  // Clients differ in the number of changed rows that they report, but not in rows.
  const returning = ' returning version'
  const pages = pageStatements('id > ?')
  const pagesByIndexKey = pageStatements('index_key = ?', 'id > ?')
  return {
    async get({ collection, id }) {
      const [row] = await query(select, collection, id)
      return row === undefined ? undefined : toRecord(row)
    },
    async put({ collection, id }, { indexKey = null, body }, expectedVersion) {
      const rows =
        expectedVersion === 0
          ? query(insert + returning, indexKey, body, collection, id)
          : query(update + returning, indexKey, body, collection, id, expectedVersion)
      return (await rows).length === 1
    },
    async delete({ collection, id }, expectedVersion) {
      return (await query(remove + returning, collection, id, expectedVersion)).length === 1
    },
    async list(collection, { indexKey, after = '', limit, maxBytes }) {
      const { whole, cut } = indexKey === undefined ? pages : pagesByIndexKey
      const values = indexKey === undefined ? [collection, after] : [collection, indexKey, after]
      const rows =
        maxBytes === undefined
          ? query(whole, ...values, limit)
          : query(cut, ...values, ...values, limit, maxBytes, limit)
      return (await rows).map((row) => ({ id: getText(row, 'id'), ...toRecord(row) }))
    },
  }
}

function toRecord(row: unknown): StoredRecord {
  return { version: getInteger(row, 'version'), body: getBytes(row, 'body') }
}
