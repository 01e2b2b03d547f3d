/** The two halves of a MySQL store, on tables that exist. */

import { safeGet } from '../../base/safe-get.js'
import type { BlobStore, RecordStore } from '../../store.js'
import { createSqlBlobs } from '../sql/blobs.js'
import { getBytes, getCount } from '../sql/row.js'
import type { Statements } from './statements.js'
import { getKey, type TableNames, toBuffer, toId, toIndexKey } from './tables.js'

/** The column of bodies, whose name is reserved in MariaDB's `sql_mode` `ORACLE`. */
const body = '`body`'

/** Creates the record store of these tables. */
export function createMysqlRecords(
  { select, change, insert, canRollBack }: Statements,
  { records }: TableNames,
): RecordStore {
  const hasKey = 'collection = ? AND id = ?'
  const get = `SELECT version, ${body} FROM ${records} WHERE ${hasKey}`
  const add = `INSERT INTO ${records} (index_key, ${body}, collection, id, version)
    VALUES (?, ?, ?, ?, 1)`
  const update = `UPDATE ${records} SET version = version + 1, index_key = ?, ${body} = ?
    WHERE ${hasKey} AND version = ?`
  const remove = `DELETE FROM ${records} WHERE ${hasKey} AND version = ?`
  const all = pageStatements(records, 'PRIMARY', 'collection = ?')
  const byIndexKey = pageStatements(records, 'by_index_key', 'collection = ? AND index_key = ?')
  return {
    async get({ collection, id }) {
      const [row] = await select(get, [toId(collection), toId(id)])
      if (row === undefined) return undefined
      return { version: getCount(row, 'version'), body: getBytes(row, 'body') }
    },
    async put({ collection, id }, record, expectedVersion) {
      const bytes = toBuffer(record.body)
      const values = [toIndexKey(record.indexKey), bytes, toId(collection), toId(id)]
      if (expectedVersion === 0) return insert(add, values)
      return (await change(update, [...values, expectedVersion])) === 1
    },
    async delete({ collection, id }, expectedVersion) {
      return (await change(remove, [toId(collection), toId(id), expectedVersion])) === 1
    },
    async list(collection, { indexKey, after = '', limit, maxBytes }) {
      const { whole, cut } = indexKey === undefined ? all : byIndexKey
      const place = indexKey === undefined ? [] : [toIndexKey(indexKey)]
      // A number would be sent as floating point, which MySQL 8 does not accept as a limit.
      const page = [toId(collection), ...place, toId(after), String(limit)]
      const rows =
        maxBytes === undefined
          ? select(whole, page)
          : select(cut, [...page, toId(collection), maxBytes, String(limit)])
      return (await rows).map((row) => ({
        id: getKey(row, 'id'),
        version: getCount(row, 'version'),
        body: getBytes(row, 'body'),
      }))
    },
    canRollBack,
  }
}

/**
 * Returns two statements: one for the rows of a page, and one for the rows up to the one whose body
 * brings the total to a number of bytes. The sizes are read without the bodies. Each statement has
 * its own limit, because a session may have a smaller default (`sql_select_limit`).
 */
function pageStatements(
  records: string,
  index: string,
  condition: string,
): { readonly whole: string; readonly cut: string } {
  const page = (
    columns: string,
  ): string => `SELECT ${columns} FROM ${records} FORCE INDEX (${index})
    WHERE ${condition} AND id > ? ORDER BY id LIMIT ?`
  return {
    whole: page(`id, version, ${body}`),
    cut: `SELECT r.id, r.version, r.${body} FROM (
        SELECT id, sum(size) OVER (ORDER BY id) - size AS bytes_before FROM (${page('id, size')}) AS page
      ) AS sized STRAIGHT_JOIN ${records} AS r ON r.collection = ? AND r.id = sized.id
      WHERE sized.bytes_before < ? ORDER BY sized.id LIMIT ?`,
  }
}

/** Creates the blob store of these tables. */
export function createMysqlBlobs(
  { select, change, insert }: Statements,
  { blobs, chunks }: TableNames,
): BlobStore {
  const isOwner = 'id = ? AND writer = ?'
  // Includes the bytes of the only chunk, which saves a round trip.
  const find = `SELECT b.writer, b.chunks, c.bytes FROM ${blobs} AS b LEFT JOIN ${chunks} AS c
    ON c.id = b.id AND c.writer = b.writer AND c.n = 0 AND b.chunks = 1
    WHERE b.id = ? AND b.chunks IS NOT NULL`
  const readChunk = `SELECT bytes FROM ${chunks} WHERE ${isOwner} AND n = ?`
  const claim = `INSERT INTO ${blobs} (id, writer) VALUES (?, ?)`
  const append = `INSERT INTO ${chunks} (id, writer, n, bytes) VALUES (?, ?, ?, ?)`
  const complete = `UPDATE ${blobs} SET chunks = ? WHERE ${isOwner}`
  const abort = `DELETE FROM ${blobs} WHERE ${isOwner}`
  const remove = `DELETE FROM ${blobs} WHERE id = ?`
  return createSqlBlobs({
    async find(id) {
      const [row] = await select(find, [toId(id)])
      if (row === undefined) return undefined
      return {
        writer: getKey(row, 'writer'),
        count: getCount(row, 'chunks'),
        onlyChunk: getChunk(row),
      }
    },
    readChunk: async (id, writer, number) =>
      getChunk((await select(readChunk, [toId(id), toId(writer), number]))[0]),
    claim: async (id, writer) => insert(claim, [toId(id), toId(writer)]),
    append: async (id, writer, number, bytes) =>
      void (await change(append, [toId(id), toId(writer), number, toBuffer(bytes)])),
    complete: async (id, writer, count) =>
      (await change(complete, [count, toId(id), toId(writer)])) === 1,
    abort: async (id, writer) => void (await change(abort, [toId(id), toId(writer)])),
    remove: async (id) => void (await change(remove, [toId(id)])),
  })
}

function getChunk(row: unknown): Uint8Array | undefined {
  return (safeGet(row, 'bytes') ?? undefined) === undefined ? undefined : getBytes(row, 'bytes')
}
