/** Stores blobs in SQLite, divided into chunks. */

import { StorageError } from '../../errors.js'
import type { BlobContent, BlobStore } from '../../store.js'
import { cutContent, openChunks } from '../chunks.js'
import { getBytes, getInteger, getText } from '../sql/row.js'
import { blobStatements } from '../sql/sqlite-statements.js'
import { didChange, type SqliteAccess, type SqliteDatabase } from './connection.js'

/** In bytes. Writing was measured to be slower with 64 KiB, and no faster with 1 MiB. */
const chunkSize = 262_144

/**
 * Creates the blob store of a database that has the tables. A blob is complete, and can be read,
 * once its last chunk and the number of its chunks are committed together. An incomplete blob is
 * stored under its own key until its id is deleted.
 */
export function createSqliteBlobs(
  database: SqliteDatabase,
  { read, commit }: SqliteAccess,
): BlobStore {
  const statements = prepareBlobStatements(database)
  return {
    async read(id) {
      const blob = read(() => statements.findComplete(id))
      if (blob === undefined) return undefined
      return openChunks(blob.chunks, (number) => read(() => statements.readChunk(blob.key, number)))
    },
    write: (id, content) => writeBlob(statements, commit, id, content),
    async delete(id) {
      for (const key of read(() => statements.listKeys(id)))
        await commit(() => statements.remove(key))
    },
  }
}

/** Returns the ids of all blobs, complete or not. */
export function listBlobIds(database: SqliteDatabase): readonly string[] {
  return database
    .prepare(blobStatements.listIds)
    .all()
    .map((row) => getText(row, 'id'))
}

/** Writes a blob. Content of at most one chunk is written in one transaction. */
async function writeBlob(
  statements: BlobStatements,
  commit: SqliteAccess['commit'],
  id: string,
  content: BlobContent,
): Promise<void> {
  let key: number | undefined
  let number = 0
  const storeChunk = (chunk: Uint8Array): number => {
    const blobKey = key ?? statements.create(id)
    if (chunk.length > 0) statements.append(blobKey, number, chunk)
    return blobKey
  }
  try {
    for await (const { bytes, isLast } of cutContent(content, chunkSize)) {
      const chunks = bytes.length > 0 ? number + 1 : number
      if (isLast) await commit(() => statements.complete(storeChunk(bytes), id, chunks))
      else key = await commit(() => storeChunk(bytes))
      number = chunks
    }
  } catch (error) {
    const blobKey = key
    // If chunks cannot be removed now, they are removed when the id is deleted.
    if (blobKey !== undefined) await commit(() => statements.remove(blobKey)).catch(() => {})
    throw error
  }
}

interface BlobStatements {
  /** Returns the complete blob with this id, or undefined if there is no complete one. */
  findComplete(id: string): { readonly key: number; readonly chunks: number } | undefined
  /** Returns the keys of all blobs with this id, complete or not. */
  listKeys(id: string): readonly number[]
  /** @throws StorageError (`STORAGE_FAILED`) if the chunk was deleted. */
  readChunk(key: number, number: number): Uint8Array
  /** Adds an incomplete blob, and returns its key. */
  create(id: string): number
  /** @throws StorageError (`STORAGE_FAILED`) if the blob was deleted. */
  append(key: number, number: number, bytes: Uint8Array): void
  /**
   * Marks the blob as complete.
   * @throws StorageError (`STORAGE_FAILED`) if the blob was deleted, or if another blob with this
   * id is complete.
   */
  complete(key: number, id: string, chunks: number): void
  /** Removes the blob and its chunks. */
  remove(key: number): void
}

function prepareBlobStatements(database: SqliteDatabase): BlobStatements {
  const findComplete = database.prepare(blobStatements.findComplete)
  const listKeys = database.prepare(blobStatements.listKeys)
  const readChunk = database.prepare(blobStatements.readChunk)
  const create = database.prepare(blobStatements.create)
  const append = database.prepare(blobStatements.append)
  const complete = database.prepare(blobStatements.complete)
  const removeChunks = database.prepare(blobStatements.removeChunks)
  const remove = database.prepare(blobStatements.remove)
  return {
    findComplete(id) {
      const row = findComplete.get(id) ?? undefined
      return row && { key: getInteger(row, 'key'), chunks: getInteger(row, 'chunks') }
    },
    listKeys: (id) => listKeys.all(id).map((row) => getInteger(row, 'key')),
    readChunk(key, number) {
      const row = readChunk.get(key, number) ?? undefined
      if (row === undefined) throw new StorageError('the blob was deleted while it was read')
      return getBytes(row, 'bytes')
    },
    create: (id) => getInteger(create.get(id), 'key'),
    append(key, number, bytes) {
      if (!didChange(append.run(number, bytes, key))) throw deletedWhileWrittenError()
    },
    complete(key, id, chunks) {
      if (findComplete.get(id)) throw new StorageError('a blob with this id already exists')
      if (!didChange(complete.run(chunks, key))) throw deletedWhileWrittenError()
    },
    remove(key) {
      removeChunks.run(key)
      remove.run(key)
    },
  }
}

function deletedWhileWrittenError(): StorageError {
  return new StorageError('the blob was deleted while it was written')
}
