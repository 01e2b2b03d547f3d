/** Stores records in SQLite. */

import type { RecordQuery, RecordStore } from '../../store.js'
import { getBytes, getInteger, getText } from '../sql/row.js'
import {
  didChange,
  type SqliteDatabase,
  type SqliteStatement,
  type SqliteValue,
} from './connection.js'
import { wrapSqliteErrors } from './errors.js'
import type { GroupCommit } from './group-commit.js'

/**
 * Creates the record store of a database that has the tables. Reads see committed data only.
 * Comparing and writing are one statement.
 */
export function createSqliteRecords(
  database: SqliteDatabase,
  commit: GroupCommit['commit'],
): RecordStore {
  const { select, insert, update, remove } = prepareRecordStatements(database)
  const list = prepareList(database)

  return {
    async get({ collection, id }) {
      return wrapSqliteErrors(() => {
        const row = select.get(collection, id) ?? undefined
        return row && { version: getInteger(row, 'version'), body: getBytes(row, 'body') }
      })
    },
    put({ collection, id }, { indexKey = null, body }, expectedVersion) {
      return commit(() =>
        didChange(
          expectedVersion === 0
            ? insert.run(indexKey, body, collection, id)
            : update.run(indexKey, body, collection, id, expectedVersion),
        ),
      )
    },
    delete({ collection, id }, expectedVersion) {
      return commit(() => didChange(remove.run(collection, id, expectedVersion)))
    },
    async list(collection, page) {
      return wrapSqliteErrors(() =>
        list(collection, page).map((row) => ({
          id: getText(row, 'id'),
          version: getInteger(row, 'version'),
          body: getBytes(row, 'body'),
        })),
      )
    },
  }
}

function prepareRecordStatements(
  database: SqliteDatabase,
): Readonly<Record<'select' | 'insert' | 'update' | 'remove', SqliteStatement>> {
  return {
    select: database.prepare(
      'select version, body from cofferkit_records where collection = ? and id = ?',
    ),
    // Node 22.13 binds some empty arrays as null.
    insert: database.prepare(
      `insert into cofferkit_records (index_key, body, collection, id, version)
        values (?, coalesce(?, x''), ?, ?, 1)
        on conflict do nothing`,
    ),
    update: database.prepare(
      `update cofferkit_records set version = version + 1, index_key = ?, body = coalesce(?, x'')
        where collection = ? and id = ? and version = ?`,
    ),
    remove: database.prepare(
      'delete from cofferkit_records where collection = ? and id = ? and version = ?',
    ),
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

/**
 * Prepares three statements: the rows of a page, the total bytes of their bodies, and the rows up
 * to the one with which the bodies reach `maxBytes`. SQLite determines the length of a body without
 * reading it, so no later body is loaded.
 */
function preparePageStatements(
  database: SqliteDatabase,
  ...conditions: readonly string[]
): Readonly<Record<'whole' | 'bytes' | 'cut', SqliteStatement>> {
  const page = (columns: string, ...more: readonly string[]): string =>
    `select ${columns} from cofferkit_records
      where ${['collection = ?', ...conditions, ...more].join(' and ')} order by id limit ?`
  const sizes = page('id, length(body) as size')
  const last = `select id from (select id, sum(size) over (order by id) as bytes from (${sizes}))
    where bytes >= ? order by id limit 1`
  return {
    whole: database.prepare(page('id, version, body')),
    bytes: database.prepare(`select total(size) as bytes from (${sizes})`),
    // Every id is less than the empty blob, which is used if records were removed in between.
    cut: database.prepare(page('id, version, body', `id <= ifnull((${last}), x'')`)),
  }
}

function selectStatement<Choice>(after: string | undefined, first: Choice, next: Choice): Choice {
  return after === undefined ? first : next
}
