import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StorageError } from '../../../src/errors.js'
import type { VaultStore } from '../../../src/index.js'
import { createPostgresStore, type PostgresClient } from '../../../src/storage/postgres.js'
import { openReader, readBytes, streamOf, utf8 } from '../../support/bytes.js'
import { expectContentForm } from '../../support/stores/content-form.js'
import { createTables, openPGlite } from '../../support/stores/postgres.js'

const database = openPGlite()

// PGlite takes long to start when other tests run at the same time.
beforeAll(() => database.waitReady, 120_000)
const id = 'v/a'
const aChunk = 512 * 1024

afterAll(() => database.close())

interface Place extends VaultStore {
  /** Returns the numbers of rows in the tables of blobs and of chunks. */
  rows(): Promise<unknown>
  /** Removes all chunks, as only a damaged database does. */
  removeChunks(): Promise<unknown>
  /**
   * Returns the same tables through a client that fails from the nth statement on that contains
   * `part`.
   */
  failingAt(part: string, nth?: number): VaultStore
}

async function freshPlace(): Promise<Place> {
  const tables = await createTables(database)
  const count = (name: string): string =>
    `(SELECT count(*)::int4 FROM ${tables.tablePrefix}${name}) AS ${name}`
  return {
    ...createPostgresStore(database, tables),
    rows: async () =>
      (await database.query(`SELECT ${count('blobs')}, ${count('chunks')}`)).rows[0],
    removeChunks: () => database.query(`DELETE FROM ${tables.tablePrefix}chunks`),
    failingAt(part, nth = 1) {
      let met = 0
      const client: PostgresClient = {
        async query(text, values) {
          if (text.includes(part) && ++met >= nth) throw new Error('cut off')
          return database.query(text, values)
        },
      }
      return createPostgresStore(client, tables)
    },
  }
}

function patterned(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 255)
}

describe('createPostgresBlobs', { timeout: 30_000 }, () => {
  it.each([
    [0, 1],
    [1, 1],
    [aChunk - 1, aChunk],
    [aChunk, aChunk],
    [aChunk + 1, 100_000],
    [2 * aChunk, 3 * aChunk],
    [2 * aChunk + 7, 333_333],
  ])('stores %i bytes in pieces of %i unchanged, in chunks of 512 KiB', async (length, piece) => {
    const { blobs, rows } = await freshPlace()
    const bytes = patterned(length)
    const pieces = Array.from({ length: Math.ceil(length / piece) }, (_, index) =>
      bytes.subarray(index * piece, (index + 1) * piece),
    )
    await blobs.write(id, streamOf(pieces))
    expect(await rows()).toEqual({ blobs: 1, chunks: Math.ceil(length / aChunk) })
    const content = await blobs.read(id)
    expect(content && Buffer.compare(await readBytes(content), bytes)).toBe(0)
  })

  it.each([
    [0, 'bytes'],
    [aChunk, 'bytes'],
    [aChunk + 1, 'a stream'],
  ] as const)('returns a content of %i bytes as %s', async (length, form) => {
    const { blobs } = await freshPlace()
    await expectContentForm(blobs, length, form)
  })

  it('reads a blob of one chunk by one statement, and rejects when the chunk is missing', async () => {
    const { blobs, failingAt, removeChunks } = await freshPlace()
    await blobs.write(id, utf8('small'))
    expect(await failingAt('SELECT bytes').blobs.read(id)).toEqual(utf8('small'))
    await removeChunks()
    await expect(blobs.read(id)).rejects.toThrow('a chunk of the blob is missing')
  })

  it('reads each chunk on demand', async () => {
    const { blobs, failingAt } = await freshPlace()
    await blobs.write(id, streamOf([patterned(3 * aChunk)]))
    const reader = openReader(await failingAt('SELECT bytes', 2).blobs.read(id))
    expect((await reader?.read())?.value?.length).toBe(aChunk)
    await expect(reader?.read()).rejects.toThrow(StorageError)
  })

  it('fails a read when the blob is deleted during it', async () => {
    const { blobs } = await freshPlace()
    await blobs.write(id, streamOf([patterned(2 * aChunk)]))
    const reader = openReader(await blobs.read(id))
    await reader?.read()
    await blobs.delete(id)
    await expect(reader?.read()).rejects.toThrow('a chunk of the blob is missing')
  })

  it('fails a read when the blob is replaced during it', async () => {
    const { blobs } = await freshPlace()
    await blobs.write(id, streamOf([new Uint8Array(2 * aChunk).fill(1)]))
    const reader = openReader(await blobs.read(id))
    await reader?.read()
    await blobs.delete(id)
    await blobs.write(id, streamOf([new Uint8Array(2 * aChunk).fill(2)]))
    await expect(reader?.read()).rejects.toThrow('a chunk of the blob is missing')
  })

  it('stores nothing when the content fails', async () => {
    const { blobs, rows } = await freshPlace()
    const content = streamOf([patterned(aChunk)], new Error('the stream failed'))
    await expect(blobs.write(id, content)).rejects.toThrow('the stream failed')
    expect(await rows()).toEqual({ blobs: 0, chunks: 0 })
  })

  it.each([
    ['taking the id', '_blobs" (id', 1],
    ['the first chunk', '_chunks" (id', 1],
    ['the second chunk', '_chunks" (id', 2],
    ['noting that they are whole', 'SET chunks', 1],
  ])('stores nothing when the database fails at %s', async (_, part, nth) => {
    const { failingAt, rows } = await freshPlace()
    const content = streamOf([patterned(2 * aChunk)])
    const written = failingAt(part, nth).blobs.write(id, content)
    await expect(written).rejects.toThrow('the database failed')
    expect(await rows()).toEqual({ blobs: 0, chunks: 0 })
  })

  it('returns undefined for an incomplete blob, which delete removes', async () => {
    const { blobs, failingAt, rows } = await freshPlace()
    const content = streamOf([patterned(2 * aChunk + 1)], new Error('crashed'))
    await expect(failingAt('DELETE').blobs.write(id, content)).rejects.toThrow('crashed')
    expect(await rows()).toEqual({ blobs: 1, chunks: 2 })
    expect(await blobs.read(id)).toBeUndefined()
    await blobs.delete(id)
    expect(await rows()).toEqual({ blobs: 0, chunks: 0 })
  })

  it('rejects a write when the blob is deleted during it, and stores nothing', async () => {
    const { blobs, rows } = await freshPlace()
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const written = blobs.write(id, readable)
    const writer = writable.getWriter()
    await writer.write(patterned(aChunk))
    await blobs.delete(id)
    writer.close().catch(() => {})
    await expect(written).rejects.toThrow(StorageError)
    expect(await rows()).toEqual({ blobs: 0, chunks: 0 })
  })

  it('leaves the blob of another writer unchanged when a write has lost its id', async () => {
    const { blobs, rows } = await freshPlace()
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const late = blobs.write(id, readable)
    const writer = writable.getWriter()
    await writer.write(utf8('late'))
    await blobs.delete(id)
    await blobs.write(id, streamOf([utf8('first')]))
    await writer.close()
    await expect(late).rejects.toThrow('the blob was deleted while it was written')
    const content = await blobs.read(id)
    expect(content && new TextDecoder().decode(await readBytes(content))).toBe('first')
    await blobs.delete(id)
    expect(await rows()).toEqual({ blobs: 0, chunks: 0 })
  })

  it('cancels the content when the id exists', async () => {
    const { blobs } = await freshPlace()
    await blobs.write(id, streamOf([utf8('first')]))
    let reason: unknown
    const content = new ReadableStream<Uint8Array>({
      cancel: (error) => {
        reason = error
      },
    })
    await expect(blobs.write(id, content)).rejects.toThrow('already exists')
    expect(reason).toBeInstanceOf(StorageError)
  })
})
