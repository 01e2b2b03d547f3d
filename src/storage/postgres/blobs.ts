/**
 * Keeps contents in two PostgreSQL tables: a row for each content, and the chunks it is cut into.
 *
 * A writer first takes the id by a row that bears his token, and at last writes into it how many chunks there are: only
 * then can the content be read. Chunks bear the token too and go with their row, so that a writer who has lost his row
 * can neither finish nor touch what somebody else has written in its place.
 */

import { StorageError } from '../../errors.js'
import type { BlobStore } from '../../store.js'
import { forEachChunk, streamChunks } from '../sql/chunks.js'
import { getBytes, getCount, getText } from '../sql/row.js'
import type { Query } from './query.js'
import type { TableNames } from './tables.js'

/** Bytes of every chunk but the last. */
const chunkSize = 512 * 1024

/** The contents of these tables. Every statement names the id, by which both may be distributed. */
export function createBlobs(query: Query, names: TableNames): BlobStore {
  const sql = statementsOn(names)
  return {
    async read(id) {
      const [row] = await query(sql.find, [id])
      if (row === undefined) return undefined
      const writer = getText(row, 'writer')
      return streamChunks(getCount(row, 'chunks'), async (number) => {
        const [chunk] = await query(sql.chunk, [id, writer, number])
        if (chunk === undefined) throw new StorageError('a part of the content is missing')
        return getBytes(chunk, 'bytes')
      })
    },
    async write(id, content) {
      const writer = crypto.randomUUID()
      try {
        await writeContent(query, sql, [id, writer], content)
      } catch (error) {
        await query(sql.abandon, [id, writer]).catch(() => {})
        if (!content.locked) await content.cancel(error).catch(() => {})
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
  readonly chunk: string
  readonly take: string
  readonly append: string
  readonly finish: string
  readonly abandon: string
  readonly remove: string
}

function statementsOn({ blobs, chunks }: TableNames): BlobStatements {
  const mine = 'id = $1 AND writer = $2'
  return {
    find: `SELECT writer, chunks FROM ${blobs} WHERE id = $1 AND chunks IS NOT NULL`,
    chunk: `SELECT bytes FROM ${chunks} WHERE ${mine} AND n = $3`,
    take: `INSERT INTO ${blobs} (id, writer) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id`,
    append: `INSERT INTO ${chunks} (id, writer, n, bytes) VALUES ($1, $2, $3, $4)`,
    finish: `UPDATE ${blobs} SET chunks = $3 WHERE ${mine} RETURNING id`,
    abandon: `DELETE FROM ${blobs} WHERE ${mine}`,
    remove: `DELETE FROM ${blobs} WHERE id = $1`,
  }
}

async function writeContent(
  query: Query,
  { take, append, finish }: BlobStatements,
  mine: readonly [id: string, writer: string],
  content: ReadableStream<Uint8Array>,
): Promise<void> {
  if ((await query(take, [...mine])).length === 0)
    throw new StorageError('a content of this id is already there')
  let count = 0
  const keep = async (chunk: Uint8Array): Promise<void> => {
    await query(append, [...mine, count++, chunk])
  }
  const rest = await forEachChunk(content, chunkSize, keep)
  if (rest.length > 0) await keep(rest)
  if ((await query(finish, [...mine, count])).length === 0)
    throw new StorageError('the content was removed while it was written')
}
