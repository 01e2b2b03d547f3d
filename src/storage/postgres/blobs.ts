/** Stores blobs in two PostgreSQL tables: one row per blob, and its chunks. */

import { safeGet } from '../../safe-get.js'
import type { BlobStore } from '../../store.js'
import { createSqlBlobs } from '../sql/blobs.js'
import { getBytes, getCount, getText } from '../sql/row.js'
import type { Query } from './query.js'
import type { TableNames } from './tables.js'

/**
 * Creates the blob store of these tables. Every statement contains the id, by which both tables can
 * be distributed.
 */
export function createPostgresBlobs(query: Query, { blobs, chunks }: TableNames): BlobStore {
  const isOwner = 'id = $1 AND writer = $2'
  // With the bytes of the only chunk, which saves a round trip.
  const find =
    `SELECT b.writer, b.chunks, c.bytes FROM ${blobs} b LEFT JOIN ${chunks} c` +
    ' ON c.id = b.id AND c.writer = b.writer AND c.n = 0 AND b.chunks = 1' +
    ' WHERE b.id = $1 AND b.chunks IS NOT NULL'
  const readChunk = `SELECT bytes FROM ${chunks} WHERE ${isOwner} AND n = $3`
  const claim = `INSERT INTO ${blobs} (id, writer) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id`
  const append = `INSERT INTO ${chunks} (id, writer, n, bytes) VALUES ($1, $2, $3, $4)`
  const complete = `UPDATE ${blobs} SET chunks = $3 WHERE ${isOwner} RETURNING id`
  const abort = `DELETE FROM ${blobs} WHERE ${isOwner}`
  const remove = `DELETE FROM ${blobs} WHERE id = $1`
  return createSqlBlobs({
    async find(id) {
      const [row] = await query(find, [id])
      if (row === undefined) return undefined
      return {
        writer: getText(row, 'writer'),
        count: getCount(row, 'chunks'),
        onlyChunk: getChunk(row),
      }
    },
    readChunk: async (...key) => getChunk((await query(readChunk, key))[0]),
    claim: async (...owner) => (await query(claim, owner)).length > 0,
    append: async (...chunk) => void (await query(append, chunk)),
    complete: async (...blob) => (await query(complete, blob)).length > 0,
    abort: async (...owner) => void (await query(abort, owner)),
    remove: async (id) => void (await query(remove, [id])),
  })
}

function getChunk(row: unknown): Uint8Array | undefined {
  return (safeGet(row, 'bytes') ?? undefined) === undefined ? undefined : getBytes(row, 'bytes')
}
