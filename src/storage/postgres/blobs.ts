/**
 * Stores blobs in two PostgreSQL tables: one row per blob, and its chunks.
 *
 * A writer first claims the id with a row that has the writer's random token. It writes the number
 * of chunks into this row at the end, and only then can the blob be read. Chunks have the token too
 * and are deleted with their row. A writer whose row was deleted can therefore neither complete its
 * blob nor change what another writer has stored under the same id.
 */

import { cancelContent } from '../../blob-content.js'
import { StorageError } from '../../errors.js'
import { safeGet } from '../../safe-get.js'
import type { BlobContent, BlobStore } from '../../store.js'
import { forEachChunk, openChunks } from '../sql/chunks.js'
import { getBytes, getCount, getText } from '../sql/row.js'
import type { Query } from './query.js'
import type { TableNames } from './tables.js'

/** Bytes of every chunk except the last. */
const chunkSize = 512 * 1024

/**
 * Creates the blob store of these tables. Every statement contains the id, by which both tables can
 * be distributed.
 */
export function createPostgresBlobs(query: Query, names: TableNames): BlobStore {
  const sql = blobStatements(names)
  return {
    async read(id) {
      const [row] = await query(sql.find, [id])
      if (row === undefined) return undefined
      const writer = getText(row, 'writer')
      const count = getCount(row, 'chunks')
      return openChunks(count, async (number) => {
        const chunk = count === 1 ? row : (await query(sql.readChunk, [id, writer, number]))[0]
        const isFound = (safeGet(chunk, 'bytes') ?? undefined) !== undefined
        if (!isFound) throw new StorageError('a chunk of the blob is missing')
        return getBytes(chunk, 'bytes')
      })
    },
    async write(id, content) {
      const writer = crypto.randomUUID()
      try {
        await writeBlob(query, sql, [id, writer], content)
      } catch (error) {
        await query(sql.abort, [id, writer]).catch(() => {})
        await cancelContent(content, error).catch(() => {})
        throw error
      }
    },
    async delete(id) {
      await query(sql.remove, [id])
    },
  }
}

interface BlobStatements {
  readonly find: string
  readonly readChunk: string
  readonly claim: string
  readonly append: string
  readonly complete: string
  readonly abort: string
  readonly remove: string
}

function blobStatements({ blobs, chunks }: TableNames): BlobStatements {
  const isOwner = 'id = $1 AND writer = $2'
  return {
    // With the bytes of the only chunk, which saves a round trip.
    find:
      `SELECT b.writer, b.chunks, c.bytes FROM ${blobs} b LEFT JOIN ${chunks} c` +
      ' ON c.id = b.id AND c.writer = b.writer AND c.n = 0 AND b.chunks = 1' +
      ' WHERE b.id = $1 AND b.chunks IS NOT NULL',
    readChunk: `SELECT bytes FROM ${chunks} WHERE ${isOwner} AND n = $3`,
    claim: `INSERT INTO ${blobs} (id, writer) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id`,
    append: `INSERT INTO ${chunks} (id, writer, n, bytes) VALUES ($1, $2, $3, $4)`,
    complete: `UPDATE ${blobs} SET chunks = $3 WHERE ${isOwner} RETURNING id`,
    abort: `DELETE FROM ${blobs} WHERE ${isOwner}`,
    remove: `DELETE FROM ${blobs} WHERE id = $1`,
  }
}

async function writeBlob(
  query: Query,
  { claim, append, complete }: BlobStatements,
  owner: readonly [id: string, writer: string],
  content: BlobContent,
): Promise<void> {
  if ((await query(claim, [...owner])).length === 0)
    throw new StorageError('a blob with this id already exists')
  let count = 0
  const storeChunk = async (chunk: Uint8Array): Promise<void> => {
    await query(append, [...owner, count++, chunk])
  }
  const rest = await forEachChunk(content, chunkSize, storeChunk)
  if (rest.length > 0) await storeChunk(rest)
  if ((await query(complete, [...owner, count])).length === 0)
    throw new StorageError('the blob was deleted while it was written')
}
