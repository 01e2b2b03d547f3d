/** Stores records in SQLite. */

import type { RecordQuery, RecordStore } from '../../store.js'
import { getBytes, getInteger, getText } from '../sql/row.js'
import { type PageStatements, pageStatements, recordStatements } from '../sql/sqlite-statements.js'
import {
  didChange,
  isInTransaction,
  type SqliteAccess,
  type SqliteDatabase,
  type SqliteStatement,
  type SqliteValue,
} from './connection.js'

/**
 * Creates the record store of a database that has the tables. Reads see committed data only.
 * Comparing and writing are one statement.
 */
export function createSqliteRecords(
  database: SqliteDatabase,
  { read, commit }: SqliteAccess,
): RecordStore {
  const { select, insert, update, updateBody, remove } = prepareRecordStatements(database)
  const list = prepareList(database)

  return {
    async get({ collection, id }) {
      return read(() => {
        const row = select.get(collection, id) ?? undefined
        return row && { version: getInteger(row, 'version'), body: getBytes(row, 'body') }
      })
    },
    put({ collection, id }, { indexKey = null, body }, expectedVersion) {
      return commit(() => {
        if (expectedVersion === 0) return didChange(insert.run(indexKey, body, collection, id))
        return (
          didChange(updateBody.run(body, collection, id, expectedVersion, indexKey)) ||
          didChange(update.run(indexKey, body, collection, id, expectedVersion))
        )
      })
    },
    delete({ collection, id }, expectedVersion) {
      return commit(() => didChange(remove.run(collection, id, expectedVersion)))
    },
    async list(collection, page) {
      return read(() =>
        list(collection, page).map((row) => ({
          id: getText(row, 'id'),
          version: getInteger(row, 'version'),
          body: getBytes(row, 'body'),
        })),
      )
    },
    ...(isInTransaction(database) !== undefined && {
      canRollBack: async () => isInTransaction(database) === true,
    }),
  }
}

function prepareRecordStatements(
  database: SqliteDatabase,
): Readonly<Record<keyof typeof recordStatements, SqliteStatement>> {
  const { select, insert, update, updateBody, remove } = recordStatements
  return {
    select: database.prepare(select),
    insert: database.prepare(insert),
    update: database.prepare(update),
    updateBody: database.prepare(updateBody),
    remove: database.prepare(remove),
  }
}

/** Prepares a statement for each kind of page, so that each list is one scan of an index. */
function prepareList(
  database: SqliteDatabase,
): (collection: string, page: RecordQuery) => readonly unknown[] {
  const all = preparePageStatements(database)
  const allAfter = preparePageStatements(database, 'id > ?')
  const byIndexKey = preparePageStatements(database, 'index_key = ?')
  const byIndexKeyAfter = preparePageStatements(database, 'index_key = ?', 'id > ?')
  return (collection, { indexKey, after, limit, maxBytes }) => {
    const given: SqliteValue[] = [indexKey, after].filter((value) => value !== undefined)
    const values = [collection, ...given]
    const { whole, bytes, cut } =
      indexKey === undefined
        ? selectStatement(after, all, allAfter)
        : selectStatement(after, byIndexKey, byIndexKeyAfter)
    const isWhole =
      maxBytes === undefined || getInteger(bytes.get(...values, limit), 'bytes') < maxBytes
    return isWhole
      ? whole.all(...values, limit)
      : cut.all(...values, ...values, limit, maxBytes, limit)
  }
}

function preparePageStatements(
  database: SqliteDatabase,
  ...conditions: readonly string[]
): Readonly<Record<keyof PageStatements, SqliteStatement>> {
  const { whole, bytes, cut } = pageStatements(...conditions)
  return {
    whole: database.prepare(whole),
    bytes: database.prepare(bytes),
    cut: database.prepare(cut),
  }
}

function selectStatement<Choice>(after: string | undefined, first: Choice, next: Choice): Choice {
  return after === undefined ? first : next
}
