/**
 * Stores blobs in two tables: one row per blob, and its chunks.
 *
 * A writer first claims the id with a row that has the writer's random token. It writes the number
 * of chunks into this row at the end, and only then can the blob be read. Chunks have the token as
 * well, and are deleted with their row. A writer whose row was deleted can therefore neither
 * complete its blob nor change what another writer has stored under the same id.
 */

import { releaseContent } from '../../base/blob-content.js'
import { StorageError } from '../../errors.js'
import type { BlobContent, BlobStore } from '../../store.js'
import { cutContent, openChunks } from '../chunks.js'

/** Bytes of every chunk except the last. */
const chunkSize = 512 * 1024

/** The row of a complete blob. */
interface BlobRow {
  readonly writer: string
  /** The number of chunks. */
  readonly count: number
  /** The first chunk, if it is the only one. */
  readonly onlyChunk: Uint8Array | undefined
}

/** The statements of a database. Each commits by itself. */
export interface BlobTables {
  /** Returns the row of a complete blob, or undefined if it does not exist. */
  find(id: string): Promise<BlobRow | undefined>
  /** Returns a chunk, or undefined if it does not exist. */
  readChunk(id: string, writer: string, number: number): Promise<Uint8Array | undefined>
  /** Inserts the row of an incomplete blob. Returns false if the id has a row. */
  claim(id: string, writer: string): Promise<boolean>
  /** Inserts a chunk. Rejects if the id has no row. */
  append(id: string, writer: string, number: number, bytes: Uint8Array): Promise<void>
  /** Writes the number of chunks. Returns false if the writer's row does not exist any more. */
  complete(id: string, writer: string, count: number): Promise<boolean>
  /** Deletes the writer's row and its chunks. */
  abort(id: string, writer: string): Promise<void>
  /** Deletes the row of the id and its chunks. */
  remove(id: string): Promise<void>
}

/** Creates the blob store of these tables. */
export function createSqlBlobs(tables: BlobTables): BlobStore {
  return {
    async read(id) {
      const blob = await tables.find(id)
      if (blob === undefined) return undefined
      const { count, writer, onlyChunk } = blob
      return openChunks(count, async (number) => {
        const chunk = count === 1 ? onlyChunk : await tables.readChunk(id, writer, number)
        if (chunk === undefined) throw new StorageError('a chunk of the blob is missing')
        return chunk
      })
    },
    async write(id, content) {
      const writer = crypto.randomUUID()
      try {
        await writeBlob(tables, id, writer, content)
      } catch (error) {
        await tables.abort(id, writer).catch(() => {})
        releaseContent(content, error)
        throw error
      }
    },
    delete: (id) => tables.remove(id),
  }
}

async function writeBlob(
  tables: BlobTables,
  id: string,
  writer: string,
  content: BlobContent,
): Promise<void> {
  if (!(await tables.claim(id, writer)))
    throw new StorageError('a blob with this id already exists')
  let count = 0
  for await (const { bytes } of cutContent(content, chunkSize))
    if (bytes.length > 0) await tables.append(id, writer, count++, bytes)
  if (!(await tables.complete(id, writer, count)))
    throw new StorageError('the blob was deleted while it was written')
}
