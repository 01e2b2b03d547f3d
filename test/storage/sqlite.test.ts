import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { StorageError, StorageUnavailableError } from '../../src/errors.js'
import {
  createSqliteStore,
  openSqliteStore,
  type SqliteFileOptions,
} from '../../src/storage/sqlite.js'
import { blobStoreContract, recordStoreContract } from '../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../support/bytes.js'
import { runAll } from '../support/run-all.js'
import {
  createDatabasePath,
  drivers,
  loadLibsql,
  openNodeDatabase,
} from '../support/stores/sqlite.js'

describe.each(Object.entries(drivers))('createSqliteStore on %s', (_, open) => {
  describe('records', () => {
    it.each(recordStoreContract)('$name', ({ run }) =>
      run(createSqliteStore(open(createDatabasePath())).records),
    )
  })

  describe('blobs', () => {
    it.each(blobStoreContract)('$name', ({ run }) =>
      run(createSqliteStore(open(createDatabasePath())).blobs),
    )
  })

  it('sets synchronous=FULL and write-ahead logging', () => {
    const database = open(createDatabasePath())
    createSqliteStore(database, { busyTimeoutMs: 1234 })
    const setting = (name: string): unknown => database.prepare(`pragma ${name}`).get()
    expect(setting('journal_mode')).toMatchObject({ journal_mode: 'wal' })
    expect(setting('synchronous')).toMatchObject({ synchronous: 2 })
    expect(setting('fullfsync')).toMatchObject({ fullfsync: 1 })
    expect(setting('busy_timeout')).toMatchObject({ timeout: 1234 })
  })

  it('sets synchronous=FULL when the file is already in WAL mode', () => {
    const path = createDatabasePath()
    createSqliteStore(open(path))
    const second = open(path)
    createSqliteStore(second)
    expect(second.prepare('pragma synchronous').get()).toMatchObject({ synchronous: 2 })
    expect(second.prepare('pragma busy_timeout').get()).toMatchObject({ timeout: 5000 })
  })

  it('throws when the database is in memory', () => {
    expect(() => createSqliteStore(open(':memory:'))).toThrow(StorageError)
  })

  it('writes one page for a change that keeps the index key', async () => {
    const database = open(createDatabasePath())
    const { records } = createSqliteStore(database)
    const body = new Uint8Array(500)
    const ids = Array.from({ length: 50 }, (_, index) => `item ${index}`)
    const putAll = async (version: number, indexKey: string) => {
      for (const id of ids)
        await records.put({ collection: 'c', id }, { body, indexKey: `${indexKey} ${id}` }, version)
    }
    const countPages = () => {
      const row = database.prepare('pragma wal_checkpoint(restart)').get()
      return Number(Object(row).log)
    }
    await putAll(0, 'a')
    countPages()
    await putAll(1, 'a')
    expect(countPages()).toBe(ids.length)
    await putAll(2, 'b')
    expect(countPages()).toBeGreaterThanOrEqual(2 * ids.length)
    expect(await records.list('c', { indexKey: 'b item 7', limit: 9 })).toMatchObject([
      { id: 'item 7', version: 3 },
    ])
  })

  it('returns plain Uint8Arrays, whose toString does not print their text', async () => {
    const { records } = createSqliteStore(open(createDatabasePath()))
    const key = { collection: 'c', id: 'a' }
    await records.put(key, { body: new TextEncoder().encode('secret') }, 0)
    const body = (await records.get(key))?.body
    expect(body?.constructor).toBe(Uint8Array)
    expect(String(body)).not.toContain('secret')
  })

  it('returns what was written when the file is opened again', async () => {
    const path = createDatabasePath()
    const first = open(path)
    const key = { collection: 'c', id: 'a' }
    await createSqliteStore(first).records.put(key, { body: Uint8Array.of(1, 2) }, 0)
    first.close()
    const again = createSqliteStore(open(path))
    expect(await again.records.get(key)).toEqual({ version: 1, body: Uint8Array.of(1, 2) })
  })

  it('returns what another store on the same file has written', async () => {
    const path = createDatabasePath()
    const [one, two] = [createSqliteStore(open(path)), createSqliteStore(open(path))]
    const key = { collection: 'c', id: 'a' }
    const body = new Uint8Array(1)
    expect(await one.records.put(key, { body }, 0)).toBe(true)
    expect(await two.records.put(key, { body }, 0)).toBe(false)
    expect(await two.records.put(key, { body }, 1)).toBe(true)
    expect((await one.records.get(key))?.version).toBe(2)
  })

  it('works in a file with other tables', async () => {
    const database = open(createDatabasePath())
    database.exec('create table records (id text); pragma user_version = 7')
    const { records } = createSqliteStore(database)
    expect(await records.put({ collection: 'c', id: 'a' }, { body: new Uint8Array(1) }, 0)).toBe(
      true,
    )
    expect(database.prepare('pragma user_version').get()).toMatchObject({ user_version: 7 })
  })
})

describe('createSqliteStore', () => {
  it.each([-1, 1.5, Number.NaN, 2 ** 31, '1; drop table x'])(
    'throws for the busy timeout %s',
    (busyTimeoutMs) => {
      const options = { busyTimeoutMs: busyTimeoutMs as number }
      const Wrong = typeof busyTimeoutMs === 'number' ? RangeError : TypeError
      const message = 'options.busyTimeoutMs must be a whole number from 0 to 2,147,483,647'
      expect(() => createSqliteStore(openNodeDatabase(), options)).toThrow(new Wrong(message))
    },
  )

  it('returns numbers when the driver returns bigints', async () => {
    const database = new Database(createDatabasePath()).defaultSafeIntegers(true)
    onTestFinished(() => void database.close())
    const { records, blobs } = createSqliteStore(database)
    const key = { collection: 'c', id: 'a' }
    const body = Uint8Array.of(1)
    expect(await records.put(key, { body }, 0)).toBe(true)
    expect(await records.put(key, { body }, 0)).toBe(false)
    expect(await records.get(key)).toEqual({ version: 1, body })
    await blobs.write('v/a', streamOf([body]))
    expect(await readBytes((await blobs.read('v/a')) ?? streamOf([]))).toEqual(body)
  })

  it('lists a collection, and the records of an index key, with an index', () => {
    const database = openNodeDatabase()
    createSqliteStore(database)
    const plan = (where: string): string =>
      JSON.stringify(
        database
          .prepare(
            `explain query plan select id, version, body from cofferkit_records where ${where} order by id limit 1`,
          )
          .all(),
      )
    expect(plan("collection = 'c' and id > 'a'")).toContain(
      'SEARCH cofferkit_records USING INDEX cofferkit_records_id (collection=? AND id>?)',
    )
    expect(plan("collection = 'c' and index_key = 'l' and id > 'a'")).toContain(
      'SEARCH cofferkit_records USING INDEX cofferkit_records_index_key (collection=? AND index_key=? AND id>?)',
    )
    expect(plan("collection = 'c' and index_key = 'l'")).not.toMatch(/SCAN|TEMP B-TREE/)
  })

  it('rejects a write when the connection has an open transaction', async () => {
    const database = openNodeDatabase()
    const { records } = createSqliteStore(database)
    database.exec('begin')
    const key = { collection: 'c', id: 'a' }
    await expect(records.put(key, { body: new Uint8Array(1) }, 0)).rejects.toThrow(StorageError)
  })
})

describe('openSqliteStore', () => {
  it.each<[string, SqliteFileOptions]>([
    ['node:sqlite', {}],
    ['better-sqlite3', { driver: Database }],
    ...(runAll ? [['libsql', { driver: loadLibsql() }] as [string, SqliteFileOptions]] : []),
  ])(
    'commits the queued writes of %s when it is closed, and rejects later calls',
    async (_, options) => {
      const path = createDatabasePath()
      const { records, blobs, close } = await openSqliteStore(path, options)
      const key = { collection: 'c', id: 'a' }
      const body = Uint8Array.of(1)
      const waiting = records.put(key, { body }, 0)
      await close()
      await close()
      expect(await waiting).toBe(true)
      const failed = { code: 'STORAGE_UNAVAILABLE', status: 503, message: 'the store is closed' }
      await expect(records.get(key)).rejects.toMatchObject(failed)
      await expect(records.put(key, { body }, 1)).rejects.toMatchObject(failed)
      await expect(records.list('c', { limit: 1 })).rejects.toMatchObject(failed)
      await expect(blobs.read('v/a')).rejects.toMatchObject(failed)
      await expect(blobs.write('v/a', body)).rejects.toMatchObject(failed)
      await expect(blobs.delete('v/a')).rejects.toMatchObject(failed)
      const again = await openSqliteStore(path, options)
      expect(await again.records.get(key)).toEqual({ version: 1, body })
      await again.close()
    },
  )

  it.each(['', '/nowhere/at/all/vault.db'])('rejects the path %j', async (path) => {
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })
})

describe('listBlobIds of openSqliteStore', () => {
  it('lists the ids of contents, and rejects when the store is closed', async () => {
    const store = await openSqliteStore(createDatabasePath())
    await store.blobs.write('v/b', streamOf([utf8('1')]))
    await store.blobs.write('v/a', streamOf([utf8('2')]))
    expect((await store.listBlobIds()).toSorted()).toEqual(['v/a', 'v/b'])
    await store.blobs.delete('v/a')
    expect(await store.listBlobIds()).toEqual(['v/b'])
    await store.close()
    await expect(store.listBlobIds()).rejects.toBeInstanceOf(StorageUnavailableError)
  })
})

describe('compact of openSqliteStore', () => {
  it('removes deleted data from the file, and keeps what was just written', async () => {
    const path = createDatabasePath()
    const store = await openSqliteStore(path)
    const key = { collection: 'c', id: 'a' }
    await store.records.put(key, { body: utf8('SWORDFISH') }, 0)
    await store.records.delete(key, 1)
    const isInFile = () =>
      [path, `${path}-wal`].some((file) => readFileSync(file).includes('SWORDFISH'))
    expect(isInFile()).toBe(true)
    const writing = store.records.put(key, { body: utf8('kept') }, 0)
    await store.compact()
    expect(isInFile()).toBe(false)
    expect(await writing).toBe(true)
    expect(await store.records.get(key)).toMatchObject({ body: utf8('kept') })
    await store.close()
    await expect(store.compact()).rejects.toBeInstanceOf(StorageUnavailableError)
  })
})
