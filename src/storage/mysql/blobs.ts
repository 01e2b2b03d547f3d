/** Stores blobs in two MySQL tables: one row per blob, and its chunks. */

import { safeGet } from '../../safe-get.js'
import type { BlobStore } from '../../store.js'
import { createSqlBlobs } from '../sql/blobs.js'
import { getBytes, getCount } from '../sql/row.js'
import { getKey, toBuffer, toId } from './keys.js'
import type { Statements } from './statements.js'
import type { TableNames } from './tables.js'

/** Creates the blob store of these tables. */
export function createMysqlBlobs(
  { select, change, insert }: Statements,
  { blobs, chunks }: TableNames,
): BlobStore {
  const isOwner = 'id = ? AND writer = ?'
  // With the bytes of the only chunk, which saves a round trip.
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
