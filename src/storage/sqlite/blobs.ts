/** Keeps contents in SQLite, cut into chunks. */

import { StorageError } from '../../errors.js'
import type { BlobStore } from '../../store.js'
import { forEachChunk, streamChunks } from '../sql/chunks.js'
import { getBytes, getInteger } from '../sql/row.js'
import type { SqliteDatabase } from './connection.js'
import { wrapSqliteErrors } from './errors.js'
import type { GroupCommit } from './group-commit.js'
import { didChange } from './records.js'

/** Bytes. Measured: with 64 KiB writing is slower, with 1 MiB it is not faster. */
const chunkSize = 262_144

/**
 * A content is whole, and can be read, once its last chunk is committed together with the number of its chunks. What
 * was not finished lies under a key of its own until its id is deleted.
 */
export function createSqliteBlobs(
  database: SqliteDatabase,
  commit: GroupCommit['commit'],
): BlobStore {
  const rows = prepareBlobs(database)
  return {
    async read(id) {
      const whole = wrapSqliteErrors(() => rows.find(id))
      if (whole === undefined) return undefined
      return streamChunks(whole.chunks, (ref) => wrapSqliteErrors(() => rows.chunk(whole.key, ref)))
    },
    write: (id, content) => writeBlob(rows, commit, id, content),
    async delete(id) {
      for (const key of wrapSqliteErrors(() => rows.keys(id))) await commit(() => rows.drop(key))
    },
  }
}

/** What is of one chunk or none is written in one transaction. */
async function writeBlob(
  rows: BlobRows,
  commit: GroupCommit['commit'],
  id: string,
  content: ReadableStream<Uint8Array>,
): Promise<void> {
  let key: number | undefined
  let ref = 0
  const store = (chunk: Uint8Array): number => {
    const mine = key ?? rows.open(id)
    if (chunk.length > 0) rows.append(mine, ref, chunk)
    return mine
  }
  try {
    const rest = await forEachChunk(content, chunkSize, async (chunk) => {
      key = await commit(() => store(chunk))
      ref += 1
    })
    const chunks = rest.length > 0 ? ref + 1 : ref
    await commit(() => rows.close(store(rest), id, chunks))
  } catch (error) {
    const mine = key
    // What cannot be removed now is removed when the id is deleted.
    if (mine !== undefined) await commit(() => rows.drop(mine)).catch(() => {})
    throw error
  }
}

interface BlobRows {
  /** The whole content of this id; undefined if there is none. */
  find(id: string): { readonly key: number; readonly chunks: number } | undefined
  /** The keys of everything under this id, whole or not. */
  keys(id: string): readonly number[]
  /** @throws StorageError if the chunk is gone. */
  chunk(key: number, ref: number): Uint8Array
  /** The key of a content that begins. */
  open(id: string): number
  /** @throws StorageError if the content was deleted meanwhile. */
  append(key: number, ref: number, bytes: Uint8Array): void
  /** @throws StorageError if the content was deleted meanwhile, or if another is whole under this id. */
  close(key: number, id: string, chunks: number): void
  drop(key: number): void
}

function prepareBlobs(database: SqliteDatabase): BlobRows {
  const find = database.prepare(
    'select key, chunks from cofferkit_blobs where id = ? and chunks is not null',
  )
  const keys = database.prepare('select key from cofferkit_blobs where id = ?')
  const chunk = database.prepare('select bytes from cofferkit_chunks where blob = ? and place = ?')
  const open = database.prepare('insert into cofferkit_blobs (id) values (?) returning key')
  const append = database.prepare(
    `insert into cofferkit_chunks (blob, place, bytes)
      select key, ?, ? from cofferkit_blobs where key = ?`,
  )
  const close = database.prepare('update cofferkit_blobs set chunks = ? where key = ?')
  const dropChunks = database.prepare('delete from cofferkit_chunks where blob = ?')
  const drop = database.prepare('delete from cofferkit_blobs where key = ?')
  return {
    find(id) {
      const row = find.get(id) ?? undefined
      return row && { key: getInteger(row, 'key'), chunks: getInteger(row, 'chunks') }
    },
    keys: (id) => keys.all(id).map((row) => getInteger(row, 'key')),
    chunk(key, ref) {
      const row = chunk.get(key, ref) ?? undefined
      if (row === undefined) throw new StorageError('the content was deleted while it was read')
      return getBytes(row, 'bytes')
    },
    open: (id) => getInteger(open.get(id), 'key'),
    append(key, ref, bytes) {
      if (!didChange(append.run(ref, bytes, key))) throw deleted()
    },
    close(key, id, chunks) {
      if (find.get(id)) throw new StorageError('a blob of this id is already there')
      if (!didChange(close.run(chunks, key))) throw deleted()
    },
    drop(key) {
      dropChunks.run(key)
      drop.run(key)
    },
  }
}

function deleted(): StorageError {
  return new StorageError('the content was deleted while it was written')
}
