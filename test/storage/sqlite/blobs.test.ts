import { describe, expect, it } from 'vitest'
import type { BlobStore } from '../../../src/index.js'
import { createSqliteStore } from '../../../src/storage/sqlite.js'
import { openReader, readBytes, streamOf, utf8 } from '../../support/bytes.js'
import { expectContentForm } from '../../support/stores/content-form.js'
import {
  createDatabasePath,
  drivers,
  type OpenDatabase,
  recordStatements,
} from '../../support/stores/sqlite.js'

const chunk = 262_144

/** Returns a stream, and its controller. */
function fed(): {
  readonly content: ReadableStream<Uint8Array>
  readonly writer: WritableStreamDefaultWriter<Uint8Array>
} {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  return { content: readable, writer: writable.getWriter() }
}

/** Begins a write that has stored its first chunk and waits for more. */
async function half(blobs: BlobStore, database: OpenDatabase, id: string) {
  const { content, writer } = fed()
  const done = blobs.write(id, content)
  done.catch(() => {})
  await writer.write(new Uint8Array(2 * chunk))
  while (rowsOf(database, 'chunks') === 0) await new Promise(setImmediate)
  return { done, writer }
}

function rowsOf(database: OpenDatabase, table: 'blobs' | 'chunks'): number {
  const row = database.prepare(`select count(*) as count from cofferkit_${table}`).get()
  return Number((row as { count: number }).count)
}

describe.each(Object.entries(drivers))('createSqliteBlobs on %s', (_, open) => {
  it.each([0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 2 * chunk + 1])(
    'stores %d bytes unchanged',
    async (size) => {
      const { blobs } = createSqliteStore(open(createDatabasePath()))
      const bytes = Uint8Array.from({ length: size }, (_one, index) => (index * 31 + 7) & 255)
      const pieces = [bytes.subarray(0, 70_000), bytes.subarray(70_000, 70_001)]
      await blobs.write('v/a', streamOf([...pieces, bytes.subarray(70_001)]))
      const read = await blobs.read('v/a')
      expect(Buffer.compare(await readBytes(read ?? streamOf([])), bytes)).toBe(0)
    },
  )

  it.each([
    [0, 'bytes'],
    [chunk, 'bytes'],
    [chunk + 1, 'chunks'],
  ] as const)('returns a content of %i bytes as %s', async (length, form) => {
    const { blobs } = createSqliteStore(open(createDatabasePath()))
    await expectContentForm(blobs, length, form)
  })

  it('writes a blob of one chunk in one commit', async () => {
    const { database, log } = recordStatements(open(createDatabasePath()))
    const { blobs } = createSqliteStore(database)
    await blobs.write('v/a', streamOf([utf8('small')]))
    expect(log.filter((sql) => sql === 'commit')).toHaveLength(1)
  })

  it('stores nothing when the stream fails', async () => {
    const database = open(createDatabasePath())
    const { blobs } = createSqliteStore(database)
    const error = new Error('the sender hung up')
    const pieces = [new Uint8Array(2 * chunk), new Uint8Array(chunk)]
    await expect(blobs.write('v/a', streamOf(pieces, error))).rejects.toBe(error)
    expect([rowsOf(database, 'blobs'), rowsOf(database, 'chunks')]).toEqual([0, 0])
  })

  it('ignores an incomplete blob of a crash, which delete removes', async () => {
    const path = createDatabasePath()
    const crashed = open(path)
    await half(createSqliteStore(crashed).blobs, crashed, 'v/a')
    crashed.close()
    const database = open(path)
    const { blobs } = createSqliteStore(database)
    expect(await blobs.read('v/a')).toBeUndefined()
    await blobs.write('v/a', streamOf([utf8('whole')]))
    expect(await readBytes((await blobs.read('v/a')) ?? streamOf([]))).toEqual(utf8('whole'))
    await blobs.delete('v/a')
    expect([rowsOf(database, 'blobs'), rowsOf(database, 'chunks')]).toEqual([0, 0])
  })

  it('rejects a write when another one of the same id was faster', async () => {
    const path = createDatabasePath()
    const [slow, fast] = [open(path), open(path)]
    const { done, writer } = await half(createSqliteStore(slow).blobs, slow, 'v/a')
    const { blobs } = createSqliteStore(fast)
    await blobs.write('v/a', streamOf([utf8('first')]))
    await writer.close()
    await expect(done).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect(await readBytes((await blobs.read('v/a')) ?? streamOf([]))).toEqual(utf8('first'))
    expect([rowsOf(fast, 'blobs'), rowsOf(fast, 'chunks')]).toEqual([1, 1])
  })

  it('rejects a write when the blob is deleted during it, and stores nothing', async () => {
    const database = open(createDatabasePath())
    const { blobs } = createSqliteStore(database)
    const { done, writer } = await half(blobs, database, 'v/a')
    await blobs.delete('v/a')
    await writer.close().catch(() => {})
    await expect(done).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect([rowsOf(database, 'blobs'), rowsOf(database, 'chunks')]).toEqual([0, 0])
  })

  it('fails a read when the blob is deleted during it', async () => {
    const { blobs } = createSqliteStore(open(createDatabasePath()))
    await blobs.write('v/a', streamOf([new Uint8Array(3 * chunk).fill(1)]))
    const reader = openReader(await blobs.read('v/a'))
    expect((await reader?.read())?.value).toHaveLength(chunk)
    await blobs.delete('v/a')
    await blobs.write('v/a', streamOf([new Uint8Array(3 * chunk).fill(2)]))
    await expect(reader?.read()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })

  it('cancels the content when it cannot be stored', async () => {
    const database = open(createDatabasePath())
    const { blobs } = createSqliteStore(database)
    let isCancelled = false
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(chunk)),
      cancel: () => {
        isCancelled = true
      },
    })
    database.exec('drop table cofferkit_chunks')
    await expect(blobs.write('v/a', endless)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect(isCancelled).toBe(true)
  })
})
