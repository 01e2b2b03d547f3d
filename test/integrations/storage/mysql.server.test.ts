import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createMysqlStore,
  type MysqlClient,
  type MysqlTableOptions,
  migrateMysql,
  mysqlMigrations,
} from '../../../src/storage/mysql.js'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'
import { increment } from '../../support/stores/increment.js'
import {
  createStoreOnTables,
  createTables,
  drivers,
  selectRows,
  skippedSuffix,
  startTestServer,
  type TestPool,
  type TestServer,
} from '../support/stores/mysql.js'

const key = { collection: 'c', id: 'a' }

describe(`createMysqlStore on a server${skippedSuffix}`, () => {
  it('is tested when there is a server', () => {
    expect(drivers).toHaveLength(skippedSuffix === '' ? 2 : 0)
  })
})

describe.each(drivers)('createMysqlStore with %s', (driver) => {
  let server: TestServer
  let pool: TestPool
  beforeAll(async () => {
    server = await startTestServer()
    pool = server.connect(driver)
  }, 60_000)
  afterAll(() => server.remove(), 60_000)

  /** Runs a case on empty tables. To empty them is quicker than to create new ones. */
  const emptied = async (tables: MysqlTableOptions, run: () => Promise<void>): Promise<void> => {
    for (const name of ['records', 'chunks', 'blobs'])
      await pool.execute(`DELETE FROM ${tables.tablePrefix}${name}`, [])
    await run()
  }

  describe('keeps the contracts', () => {
    let tables: MysqlTableOptions
    beforeAll(async () => {
      tables = await createTables(pool)
    })

    it.each(recordStoreContract)('records: $name', ({ run }) =>
      emptied(tables, () => run(createMysqlStore(pool, tables).records)),
    )
    it.each(blobStoreContract)('blobs: $name', ({ run }) =>
      emptied(tables, () => run(createMysqlStore(pool, tables).blobs)),
    )
  })

  // Both drivers send the same statements.
  it
    .runIf(driver === 'mysql2')
    .each([
      "sql_mode = ''",
      "sql_mode = 'ANSI'",
      "sql_mode = 'ORACLE'",
      "sql_mode = 'TRADITIONAL,PAD_CHAR_TO_FULL_LENGTH,NO_BACKSLASH_ESCAPES'",
      'NAMES latin1',
      'sql_select_limit = 1',
      'sql_safe_updates = 1',
    ])('keeps the contracts when a session has set %s', async (setting) => {
    const other = server.connect(driver, { sql: `SET ${setting}` })
    const tables = await createTables(other)
    const store = createMysqlStore(other, tables)
    for (const { run } of recordStoreContract) await emptied(tables, () => run(store.records))
    for (const { run } of blobStoreContract) await emptied(tables, () => run(store.blobs))
  })

  it('accepts the results when the driver returns integers and rows in its other form', async () => {
    const more = {
      mysql2: { supportBigNumbers: true, bigNumberStrings: true },
      mariadb: { metaAsArray: true, bigIntAsNumber: true, insertIdAsNumber: true },
    }[driver]
    const { records, blobs } = await createStoreOnTables(server.connect(driver, { more }))
    for (let version = 0; version < 3; version++)
      expect(await records.put(key, { body: utf8('x') }, version)).toBe(true)
    expect(await records.get(key)).toEqual({ version: 3, body: utf8('x') })
    expect(await records.list('c', { limit: 5, maxBytes: 9 })).toHaveLength(1)
    await blobs.write('v/a', streamOf([new Uint8Array(600_000)]))
    expect(await readBytes((await blobs.read('v/a')) ?? streamOf([]))).toHaveLength(600_000)
  })

  it('rejects rows in another form than that of objects', async () => {
    const tables = await createTables(pool)
    await createMysqlStore(pool, tables).records.put(key, { body: utf8('x') }, 0)
    const { records } = createMysqlStore(
      server.connect(driver, { more: { rowsAsArray: true } }),
      tables,
    )
    await expect(records.get(key)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
  })

  it('keeps ids apart that differ in case, accents, trailing spaces or zero bytes', async () => {
    const { records } = await createStoreOnTables(pool)
    const ids = ['a', 'A', 'á', 'a ', 'a\0', 'a\0 ', '_', '-', 'b', '']
    for (const id of ids)
      expect(await records.put({ ...key, id }, { body: utf8(id) }, 0)).toBe(true)
    const listed = await records.list('c', { limit: 50 })
    const sorted = [...ids].sort((left, right) => Buffer.compare(utf8(left), utf8(right)))
    expect(listed.map(({ id }) => id)).toEqual(sorted.slice(1))
    for (const id of ids) expect((await records.get({ ...key, id }))?.body).toEqual(utf8(id))
  })

  it.each(['', ' ', 'a ', '\0', '😀'.repeat(128), '\'\\"`%_'])(
    'finds a record by the index key %j, and by no similar one',
    async (indexKey) => {
      const { records } = await createStoreOnTables(pool)
      await records.put(key, { body: utf8('x'), indexKey }, 0)
      await records.put({ ...key, id: 'b' }, { body: utf8('x') }, 0)
      const find = (text: string) => records.list('c', { indexKey: text, limit: 5 })
      expect((await find(indexKey)).map(({ id }) => id)).toEqual(['a'])
      expect(await find(indexKey === '' ? ' ' : indexKey.slice(1))).toEqual([])
    },
  )

  it('rejects keys that the columns would cut, whatever sql_mode is', async () => {
    const other = server.connect(driver, { sql: "SET sql_mode = ''" })
    const { records, blobs } = await createStoreOnTables(other)
    const long = 'i'.repeat(256)
    const body = utf8('x')
    const message = /a key is longer than (?:255|512) bytes/
    await expect(records.put({ ...key, id: long }, { body }, 0)).rejects.toThrow(message)
    await expect(records.put({ ...key, collection: long }, { body }, 0)).rejects.toThrow(message)
    await expect(records.put(key, { body, indexKey: 'k'.repeat(513) }, 0)).rejects.toThrow(message)
    await expect(blobs.write(long, body)).rejects.toThrow(message)
    expect(await records.list('c', { limit: 5 })).toEqual([])
  })

  it.each([
    'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
    'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
    'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
    'SET SESSION innodb_snapshot_isolation = ON',
  ])('loses no update of two pools after %s', async (sql) => {
    const pools = [server.connect(driver, { sql }), server.connect(driver, { sql })]
    const tables = await createTables(pool)
    const stores = pools.map((client) => createMysqlStore(client, tables).records)
    const ids = ['a', 'b', 'c']
    const changes = stores.flatMap((records) =>
      Array.from({ length: 10 }, (_, index) =>
        increment(records, { ...key, id: ids[index % 3] ?? 'a' }, 10),
      ),
    )
    await Promise.all(changes)
    const found = await createMysqlStore(pool, tables).records.list('c', { limit: 5 })
    const counts = found.map(({ body }) => Number(new TextDecoder().decode(body)))
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200)
  })

  it('lists by index key and in pages with an index, without the bodies of later records', async () => {
    const tables = await createTables(pool)
    const records = `${tables.tablePrefix}records`
    await pool.execute(
      `INSERT INTO ${records} (collection, id, version, index_key, body)
        SELECT 'c', concat('id', seq), 1, concat('key', seq % 5000), '' FROM seq_1_to_20000`,
      [],
    )
    await pool.execute(`ANALYZE TABLE ${records}`, [])
    const plans: string[] = []
    const explaining: MysqlClient = {
      async execute(text, values) {
        if (!text.includes(records) || text.includes('information_schema'))
          return pool.execute(text, values)
        const result = (await pool.execute(`EXPLAIN ${text}`, values)) as object[]
        const rows = (Array.isArray(result[0]) ? result[0] : result) as Record<string, unknown>[]
        plans.push(rows.map(({ table, type, key: index }) => `${table} ${type} ${index}`).join())
        return []
      },
    }
    const { records: explained } = createMysqlStore(explaining, tables)
    await explained.list('c', { indexKey: 'key7', limit: 50 })
    await explained.list('c', { after: 'id3', limit: 50 })
    await explained.list('c', { indexKey: 'key7', limit: 50, maxBytes: 100 })
    await explained.list('c', { after: 'id3', limit: 50, maxBytes: 100 })
    expect(plans[0]).toMatch(/^\S+ (?:ref|range) by_index_key$/)
    expect(plans[1]).toMatch(/^\S+ range PRIMARY$/)
    expect(plans[2]).toMatch(/r eq_ref PRIMARY.*\S+records (?:ref|range) by_index_key$/)
    expect(plans[3]).toMatch(/r eq_ref PRIMARY.*\S+records range PRIMARY$/)
  })

  it('needs only the permission to read and write the rows of its tables', async () => {
    const tables = await createTables(pool)
    const user = `limited_${tables.tablePrefix}`
    await pool.execute(`CREATE USER ${user}@'%'`, [])
    for (const name of ['records', 'blobs', 'chunks'])
      await pool.execute(
        `GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables.tablePrefix}${name} TO ${user}@'%'`,
        [],
      )
    const store = createMysqlStore(server.connect(driver, { more: { user } }), tables)
    await recordStoreContract[3]?.run(store.records)
    await store.blobs.write('v/a', streamOf([new Uint8Array(600_000)]))
    await store.blobs.delete('v/a')
    await pool.execute(`DROP USER ${user}@'%'`, [])
  })

  describe('migrateMysql', () => {
    it('can be run by several processes at once, also while the store is used', async () => {
      const tables = { tablePrefix: `at_once_${driver}_` }
      const one = await pool.getConnection()
      await one.query('SELECT 1')
      one.release()
      await Promise.all(Array.from({ length: 16 }, () => migrateMysql(pool, tables)))
      const { records } = createMysqlStore(pool, tables)
      const work = [records.put(key, { body: utf8('x') }, 0), migrateMysql(pool, tables)]
      expect((await Promise.all(work))[0]).toBe(true)
      const rows = await selectRows(pool, `SELECT version FROM at_once_${driver}_migrations`)
      expect(rows.map(({ version }) => Number(version))).toEqual([1])
    })

    it('needs no permission to create a table when the tables are current', async () => {
      const { tablePrefix = '' } = await createTables(pool)
      const user = `migrating_${driver}`
      await pool.execute(`CREATE USER ${user}@'%'`, [])
      for (const table of ['migrations', 'records', 'blobs', 'chunks'])
        await pool.execute(`GRANT SELECT ON ${tablePrefix}${table} TO ${user}@'%'`, [])
      const limited = server.connect(driver, { more: { user } })
      await migrateMysql(limited, { tablePrefix })
      const absent = migrateMysql(limited, { tablePrefix: 'absent_' })
      await expect(absent).rejects.toMatchObject({ status: 500 })
      await pool.execute(`DROP USER ${user}@'%'`, [])
    })

    it('creates the tables in the given database, which the statements of migrations also do', async () => {
      const database = `Other_${driver}`
      await pool.execute(`CREATE DATABASE ${database}`, [])
      const tables = { database, tablePrefix: 'By_hand_' }
      for (const { statements } of [...mysqlMigrations(tables), ...mysqlMigrations(tables)])
        for (const text of statements) await pool.execute(text, [])
      await migrateMysql(pool, tables)
      await migrateMysql(pool, { database })
      const names = await selectRows(
        pool,
        `SELECT table_name AS name FROM information_schema.tables
          WHERE table_schema = '${database}' ORDER BY table_name`,
      )
      const expected = ['By_hand_', 'cofferkit_'].flatMap((prefix) =>
        ['blobs', 'chunks', 'migrations', 'records'].map((name) => ({ name: `${prefix}${name}` })),
      )
      expect(names).toEqual(expected)
      const { records } = createMysqlStore(pool, tables)
      expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
      await pool.execute(`DROP DATABASE ${database}`, [])
    })

    it('accepts names of the maximum length', async () => {
      const database = 'd'.repeat(64)
      await pool.execute(`CREATE DATABASE ${database}`, [])
      const tables = { database, tablePrefix: 'p'.repeat(40) }
      await migrateMysql(pool, tables)
      const { records } = createMysqlStore(pool, tables)
      expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
      await pool.execute(`DROP DATABASE ${database}`, [])
    })

    it('continues when it was interrupted', async () => {
      const tables = { tablePrefix: `cut_${driver}_` }
      for (let last = 1; ; last++) {
        let left = last
        const failing: MysqlClient = {
          execute: (text, values) =>
            left-- > 0 ? pool.execute(text, values) : Promise.reject(new Error('cut off')),
        }
        const isDone = await migrateMysql(failing, tables).then(
          () => true,
          () => false,
        )
        if (isDone) break
      }
      const { records } = createMysqlStore(pool, tables)
      expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
    })

    it('rejects when the tables were created by a newer version of the library', async () => {
      const tables = await createTables(pool)
      await pool.execute(`INSERT INTO ${tables.tablePrefix}migrations VALUES (99)`, [])
      await expect(migrateMysql(pool, tables)).rejects.toThrow('newer cofferkit')
    })
  })
})
