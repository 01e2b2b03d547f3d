/** Stores blobs by an asynchronous client of SQLite, divided into chunks. */

import { cancelContent } from '../../blob-content.js'
import { StorageError } from '../../errors.js'
import type { BlobContent, BlobStore } from '../../store.js'
import { forEachChunk, openChunks } from '../sql/chunks.js'
import { getBytes, getInteger } from '../sql/row.js'
import { blobStatements } from '../sql/sqlite-statements.js'
import type { Runner } from './client.js'

/** Bytes of every chunk except the last. A row of D1 has at most 2 MB. */
const chunkSize = 262_144

const createComplete = 'insert into cofferkit_blobs (id, chunks) values (?, ?)'
const appendToComplete = `insert into cofferkit_chunks (blob, n, bytes)
  select key, 0, coalesce(?, x'') from cofferkit_blobs where id = ? and chunks = 1`
const removeChunksOfId =
  'delete from cofferkit_chunks where blob in (select key from cofferkit_blobs where id = ?)'
const removeId = 'delete from cofferkit_blobs where id = ?'

/**
 * Creates the blob store of a database that has the tables. A content of one chunk is written in
 * one call. A larger one is stored under a key of its own, and can be read once the number of its
 * chunks is written, after the last of them.
 */
export function createLibsqlBlobs(runner: Runner): BlobStore {
  const { query, batch } = runner
  return {
    async read(id) {
      const [blob] = await query(blobStatements.findComplete, id)
      if (blob === undefined) return undefined
      const key = getInteger(blob, 'key')
      return openChunks(getInteger(blob, 'chunks'), async (number) => {
        const [row] = await query(blobStatements.readChunk, key, number)
        if (row === undefined) throw new StorageError('the blob was deleted while it was read')
        return getBytes(row, 'bytes')
      })
    },
    async write(id, content) {
      try {
        await writeBlob(runner, id, content)
      } catch (error) {
        await cancelContent(content, error).catch(() => {})
        throw error
      }
    },
    delete: (id) => batch([removeChunksOfId, id], [removeId, id]),
  }
}

async function writeBlob(runner: Runner, id: string, content: BlobContent): Promise<void> {
  const { query, batch } = runner
  let key: number | undefined
  let count = 0
  const append = async (chunk: Uint8Array): Promise<void> => {
    key ??= getInteger((await query(blobStatements.create, id))[0], 'key')
    const rows = await query(`${blobStatements.append} returning n`, count, chunk, key)
    if (rows.length === 0) throw deletedWhileWrittenError()
    count += 1
  }
  try {
    const rest = await forEachChunk(content, chunkSize, append)
    if (key === undefined) return await writeSmall(runner, id, rest)
    await append(rest)
    const rows = await query(`${blobStatements.complete} returning key`, count, key)
    if (rows.length === 0) throw deletedWhileWrittenError()
  } catch (error) {
    // Chunks that cannot be removed now are removed when the id is deleted.
    if (key !== undefined)
      await batch([blobStatements.removeChunks, key], [blobStatements.remove, key]).catch(() => {})
    throw error
  }
}

async function writeSmall({ batch }: Runner, id: string, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0) await batch([createComplete, id, 0])
  else await batch([createComplete, id, 1], [appendToComplete, bytes, id])
}

function deletedWhileWrittenError(): StorageError {
  return new StorageError('the blob was deleted while it was written')
}
