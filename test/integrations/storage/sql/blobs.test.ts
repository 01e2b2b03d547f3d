import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { StorageError } from '../../../../src/errors.js'
import type { VaultStore } from '../../../../src/index.js'
import { createMysqlStore } from '../../../../src/storage/mysql.js'
import { createPostgresStore } from '../../../../src/storage/postgres.js'
import { openReader, readBytes, streamOf, utf8 } from '../../../support/bytes.js'
import { expectContentForm } from '../../../support/stores/content-form.js'
import * as mysql from '../../support/stores/mysql.js'
import * as postgres from '../../support/stores/postgres.js'

const id = 'v/a'
const aChunk = 512 * 1024

/** Two tables of blobs and chunks. */
interface Tables {
  /** Creates a store that calls `beforeStatement` with the text of each statement. */
  createStore(beforeStatement?: (text: string) => void): VaultStore
  /** Returns the number of rows of a table: `blobs` or `chunks`. */
  countRows(table: string): Promise<number>
  /** Removes all chunks, as only a damaged database does. */
  removeChunks(): Promise<unknown>
}

interface Engine {
  /** Creates new, empty tables. */
  createTables(): Promise<Tables>
  close(): Promise<unknown>
}

async function openPostgres(): Promise<Engine> {
  const database = postgres.openPGlite()
  await database.waitReady
  return {
    close: () => database.close(),
    async createTables() {
      const tables = await postgres.createTables(database)
      const table = (name: string): string => `${tables.tablePrefix}${name}`
      return {
        createStore: (beforeStatement) =>
          createPostgresStore(
            {
              async query(text, values) {
                beforeStatement?.(text)
                return database.query(text, values)
              },
            },
            tables,
          ),
        async countRows(name) {
          const text = `SELECT count(*)::int4 AS count FROM ${table(name)}`
          return (await database.query<{ count: number }>(text)).rows[0]?.count ?? 0
        },
        removeChunks: () => database.query(`DELETE FROM ${table('chunks')}`),
      }
    },
  }
}

async function openMysql(): Promise<Engine> {
  const server = await mysql.startTestServer()
  const pool = server.connect('mysql2')
  return {
    close: () => server.remove(),
    async createTables() {
      const tables = await mysql.createTables(pool)
      const table = (name: string): string => `${tables.tablePrefix}${name}`
      return {
        createStore: (beforeStatement) =>
          createMysqlStore(
            {
              async execute(text, values) {
                beforeStatement?.(text)
                return pool.execute(text, values)
              },
            },
            tables,
          ),
        async countRows(name) {
          const [row] = await mysql.selectRows(pool, `SELECT count(*) AS count FROM ${table(name)}`)
          return Number(row?.['count'])
        },
        removeChunks: () => pool.execute(`DELETE FROM ${table('chunks')}`, []),
      }
    },
  }
}

const engines: [string, () => Promise<Engine>][] = [['PostgreSQL', openPostgres]]
if (mysql.drivers.length > 0) engines.push(['MariaDB', openMysql])

describe(`createSqlBlobs on MariaDB${mysql.skippedSuffix}`, () => {
  it('is tested when there is a server', () => {
    expect(engines).toHaveLength(mysql.drivers.length === 0 ? 1 : 2)
  })
})

function patterned(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 255)
}

describe.each(engines)('createSqlBlobs on %s', (_, open) => {
  let engine: Engine
  // PGlite takes long to start when other tests run at the same time.
  beforeAll(async () => {
    engine = await open()
  }, 120_000)
  afterAll(() => engine.close())

  async function freshPlace() {
    const tables = await engine.createTables()
    return {
      ...tables.createStore(),
      rows: async () => ({
        blobs: await tables.countRows('blobs'),
        chunks: await tables.countRows('chunks'),
      }),
      removeChunks: tables.removeChunks,
      /** Returns a store that fails from the nth statement on that matches. */
      failingAt(part: RegExp, nth = 1) {
        let met = 0
        return tables.createStore((text) => {
          if (part.test(text) && ++met >= nth) throw new Error('cut off')
        })
      },
    }
  }

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
    [aChunk + 1, 'chunks'],
  ] as const)('returns a content of %i bytes as %s', async (length, form) => {
    const { blobs } = await freshPlace()
    await expectContentForm(blobs, length, form)
  })

  it('reads a blob of one chunk by one statement, and rejects when the chunk is missing', async () => {
    const { blobs, failingAt, removeChunks } = await freshPlace()
    await blobs.write(id, utf8('small'))
    expect(await failingAt(/^SELECT bytes/).blobs.read(id)).toEqual(utf8('small'))
    await removeChunks()
    await expect(blobs.read(id)).rejects.toThrow('a chunk of the blob is missing')
  })

  it('reads each chunk on demand', async () => {
    const { blobs, failingAt } = await freshPlace()
    await blobs.write(id, streamOf([patterned(3 * aChunk)]))
    const reader = openReader(await failingAt(/^SELECT bytes/, 2).blobs.read(id))
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
    ['taking the id', /^INSERT INTO \S+_blobs\W/, 1],
    ['the first chunk', /^INSERT INTO \S+_chunks\W/, 1],
    ['the second chunk', /^INSERT INTO \S+_chunks\W/, 2],
    ['noting that they are whole', /SET chunks/, 1],
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
    await expect(failingAt(/^DELETE/).blobs.write(id, content)).rejects.toThrow('crashed')
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
