import { setTimeout as sleep } from 'node:timers/promises'
import mariadb from 'mariadb'
import mysql from 'mysql2/promise'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { safeGet } from '../../../src/base/safe-get.js'
import {
  createMysqlStore,
  type MysqlClient,
  migrateMysql,
  mysqlMigrations,
} from '../../../src/storage/mysql.js'
import { readBytes, streamOf, utf8 } from '../../support/bytes.js'
import {
  createTables,
  drivers,
  selectRows,
  startTestServer,
  type TestPool,
  type TestServer,
} from '../support/stores/mysql.js'

const key = { collection: 'c', id: 'a' }
const body = utf8('x')
/** MariaDB 10.11 has no `transaction_isolation`, which the store reads first. */
const unknownVariable = 1193

describe.each(drivers)(
  'createMysqlStore on a failing server with %s',
  { timeout: 60_000 },
  (driver) => {
    let server: TestServer
    let pool: TestPool
    // A server of its own, because global variables change.
    beforeAll(async () => {
      server = await startTestServer({ max_allowed_packet: '32M' })
      pool = server.connect(driver)
    }, 60_000)
    afterAll(() => server.remove(), 60_000)

    it('repeats a put when it has waited for a lock for too long', async () => {
      const waiting = server.connect(driver, { sql: 'SET innodb_lock_wait_timeout = 1' })
      const tables = await createTables(pool)
      const counted = countErrors(waiting)
      const { records } = createMysqlStore(counted.client, tables)
      await records.put(key, { body }, 0)
      const locker = await pool.getConnection()
      await locker.query('BEGIN')
      await locker.query(`SELECT 1 FROM ${tables.tablePrefix}records FOR UPDATE`)
      const given = records.put(key, { body: utf8('y') }, 1)
      while (counted.errors.length === 0) await sleep(20)
      await locker.query('ROLLBACK')
      locker.release()
      expect(await given).toBe(true)
      expect(new Set(counted.errors)).toEqual(new Set([1205]))
      expect(await records.get(key)).toEqual({ version: 2, body: utf8('y') })
    })

    it('rejects with 503 when a lock is held for longer than 5 s, and has written nothing', async () => {
      const waiting = server.connect(driver, { sql: 'SET innodb_lock_wait_timeout = 1' })
      const tables = await createTables(pool)
      const { records } = createMysqlStore(waiting, tables)
      await records.put(key, { body }, 0)
      const locker = await pool.getConnection()
      await locker.query('BEGIN')
      await locker.query(`SELECT 1 FROM ${tables.tablePrefix}records FOR UPDATE`)
      const start = performance.now()
      await expect(records.put(key, { body: utf8('y') }, 1)).rejects.toMatchObject({
        status: 503,
        cause: { message: /ER_LOCK_WAIT_TIMEOUT/ },
      })
      expect(performance.now() - start).toBeGreaterThan(4_000)
      expect(performance.now() - start).toBeLessThan(10_000)
      await locker.query('ROLLBACK')
      locker.release()
      expect((await records.get(key))?.version).toBe(1)
    })

    it('repeats a statement when the server has chosen it as the victim of a deadlock', async () => {
      const tables = await createTables(pool)
      const table = (name: string): string => `${tables.tablePrefix}${name}`
      const counted = countErrors(pool)
      const { blobs } = createMysqlStore(counted.client, tables)
      await blobs.write('v/a', streamOf([new Uint8Array(600_000)]))
      const locker = await pool.getConnection()
      await locker.query('BEGIN')
      // The transaction with fewer changes is the victim.
      await locker.query(`INSERT INTO ${table('records')} (collection, id, version, body)
      SELECT 'c', seq, 1, '' FROM seq_1_to_100`)
      await locker.query(`SELECT 1 FROM ${table('chunks')} WHERE n = 1 FOR UPDATE`)
      const removing = blobs.delete('v/a')
      await findWaiting(pool)
      const updating = locker.query(`UPDATE ${table('blobs')} SET chunks = 2 WHERE id = 'v/a'`)
      await updating
      await locker.query('COMMIT')
      locker.release()
      await removing
      expect(counted.errors).toEqual([1213])
      expect(await blobs.read('v/a')).toBeUndefined()
      expect(await selectRows(pool, `SELECT 1 FROM ${table('chunks')}`)).toEqual([])
    })

    it('rejects with 503 when the connection is killed during a put, and does not repeat it', async () => {
      const tables = await createTables(pool)
      const counted = countErrors(server.connect(driver))
      const { records } = createMysqlStore(counted.client, tables)
      await records.put(key, { body }, 0)
      const locker = await pool.getConnection()
      await locker.query('BEGIN')
      await locker.query(`SELECT 1 FROM ${tables.tablePrefix}records FOR UPDATE`)
      const before = counted.calls()
      const outcome = expect(records.put(key, { body: utf8('y') }, 1)).rejects.toMatchObject({
        status: 503,
      })
      const victim = await findWaiting(pool)
      await locker.query(`KILL ${victim}`)
      await outcome
      expect(counted.calls() - before).toBe(1)
      await locker.query('ROLLBACK')
      locker.release()
      expect((await records.get(key))?.version).toBe(1)
      expect(await records.put(key, { body: utf8('y') }, 1)).toBe(true)
    })

    it('rejects with 503 when the connection is refused', async () => {
      const options = { host: '127.0.0.1', port: 1, user: 'root' }
      const unreachable =
        driver === 'mysql2'
          ? mysql.createPool(options)
          : mariadb.createPool({ ...options, acquireTimeout: 300, initializationTimeout: 200 })
      const given = createMysqlStore(unreachable).records.get(key)
      await expect(given).rejects.toMatchObject({ status: 503 })
      await unreachable.end()
    })

    it('stores a record of 20 MB, and rejects one that max_allowed_packet does not permit', async () => {
      const tables = await createTables(pool)
      const { records } = createMysqlStore(pool, tables)
      const large = new Uint8Array(20_000_000).fill(7)
      expect(await records.put(key, { body: large }, 0)).toBe(true)
      expect(Buffer.compare((await records.get(key))?.body ?? utf8(''), large)).toBe(0)
      for (const size of [32 * 1024 * 1024 - 100, 40_000_000]) {
        const given = records.put(key, { body: new Uint8Array(size) }, 1)
        await expect(given).rejects.toMatchObject({
          status: 500,
          message: /larger than max_allowed_packet/,
        })
      }
      expect((await records.get(key))?.version).toBe(1)
    })

    it('names max_allowed_packet when a chunk is larger, and keeps working', async () => {
      await pool.execute('SET GLOBAL max_allowed_packet = 65536', [])
      const small = server.connect(driver)
      const tables = await createTables(pool)
      const { records, blobs } = createMysqlStore(small, tables)
      const given = blobs.write('v/a', streamOf([new Uint8Array(600_000)]))
      await expect(given).rejects.toThrow(/larger than max_allowed_packet/)
      await blobs.write('v/a', streamOf([body]))
      expect(await records.put(key, { body }, 0)).toBe(true)
      await pool.execute('SET GLOBAL max_allowed_packet = 33554432', [])
      expect(await readBytes((await blobs.read('v/a')) ?? streamOf([]))).toEqual(body)
    })

    it.each([
      ['SET autocommit = 0', /autocommit must be on/],
      ['SET foreign_key_checks = 0', /foreign_key_checks must be on/],
      ['SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED', /must not be READ UNCOMMITTED/],
      ["SET sql_mode = 'EMPTY_STRING_IS_NULL'", /must not contain EMPTY_STRING_IS_NULL/],
    ])('rejects every call when a session has run %s', async (sql, message) => {
      const tables = await createTables(pool)
      const { records, blobs } = createMysqlStore(server.connect(driver, { sql }), tables)
      await expect(records.put(key, { body }, 0)).rejects.toThrow(message)
      await expect(records.get(key)).rejects.toThrow(message)
      await expect(blobs.write('v/a', body)).rejects.toThrow(message)
      expect(await createMysqlStore(pool, tables).records.list('c', { limit: 1 })).toEqual([])
    })

    it('rejects with 503 while the server is read-only, and works afterwards', async () => {
      const tables = await createTables(pool)
      const { records } = createMysqlStore(pool, tables)
      await pool.execute('SET GLOBAL read_only = 1', [])
      await expect(records.get(key)).rejects.toMatchObject({
        status: 503,
        message: 'the server is read-only: connect to the primary server',
      })
      await pool.execute('SET GLOBAL read_only = 0', [])
      expect(await records.put(key, { body }, 0)).toBe(true)
    })

    it.runIf(driver === 'mysql2')(
      'rejects a put of a client that is in a transaction',
      async () => {
        const tables = await createTables(pool)
        const connection = await pool.getConnection()
        await connection.query('BEGIN')
        const { records } = createMysqlStore(connection, tables)
        await expect(records.put(key, { body }, 0)).rejects.toThrow(
          'the client is in a transaction',
        )
        await connection.query('ROLLBACK')
        connection.release()
      },
    )

    it('rejects tables of another engine than InnoDB, also those of migrateMysql', async () => {
      const sql = "SET sql_mode = '', enforce_storage_engine = 'Aria'"
      const substituting = server.connect(driver, { sql })
      const message = 'the tables must use the engine InnoDB'
      const tables = { tablePrefix: 'substituted_' }
      await expect(migrateMysql(substituting, tables)).rejects.toThrow(message)
      await expect(createMysqlStore(pool, tables).records.get(key)).rejects.toThrow(message)
      const byHand = { tablePrefix: 'aria_' }
      const statements = mysqlMigrations(byHand).flatMap((migration) => migration.statements)
      for (const text of statements.filter((text) => !/chunks/.test(text)))
        await pool.execute(
          text.replace('ENGINE = InnoDB', 'ENGINE = Aria').replace('DYNAMIC', 'PAGE'),
          [],
        )
      await expect(createMysqlStore(pool, byHand).records.get(key)).rejects.toThrow(message)
    })

    it('rejects with 500 and no value in the error when the tables do not exist', async () => {
      for (const tables of [{ tablePrefix: 'missing_' }, { database: 'missing' }]) {
        const { records } = createMysqlStore(pool, tables)
        const given = records.put(key, { body: utf8('hunter2'), indexKey: 'hunter2' }, 0)
        const error: unknown = await given.catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ status: 500, message: /run migrateMysql first/ })
        expect(printDeeply(error)).not.toContain('hunter2')
      }
    })

    it('rejects migrateMysql with a hint when the database does not exist', async () => {
      await expect(migrateMysql(pool, { database: 'nix' })).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        message: 'the database does not exist: create it first',
      })
    })

    it('rejects with no value in the error when the server rejects a row', async () => {
      const tables = await createTables(pool)
      await pool.execute(
        `ALTER TABLE ${tables.tablePrefix}records ADD CHECK (index_key <> 'hunter2')`,
        [],
      )
      const { records } = createMysqlStore(pool, tables)
      const row = { body: utf8('hunter2'), indexKey: 'hunter2' }
      const error: unknown = await records
        .put({ ...key, id: 'hunter2' }, row, 0)
        .catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ status: 500, cause: { message: /ER_CONSTRAINT_FAILED/ } })
      expect(printDeeply(error)).not.toMatch(/hunter2|68756e746572/)
    })

    it.each([
      ['a negative version', 'version = -1'],
      ['a version that is not exact in JavaScript', 'version = 9007199254740993'],
    ])('rejects a row with %s', async (_, change) => {
      const tables = await createTables(pool)
      const { records } = createMysqlStore(pool, tables)
      await records.put(key, { body }, 0)
      await pool.execute(`UPDATE ${tables.tablePrefix}records SET ${change}`, [])
      const failed = { code: 'STORAGE_FAILED', message: 'unexpected data in the database' }
      await expect(records.get(key)).rejects.toMatchObject(failed)
      await expect(records.list('c', { limit: 1 })).rejects.toMatchObject(failed)
    })
  },
)

/** Returns a client that counts its calls, and keeps the numbers of the errors of the server. */
function countErrors(pool: TestPool): {
  readonly client: MysqlClient
  readonly errors: readonly unknown[]
  calls(): number
} {
  const errors: unknown[] = []
  let calls = 0
  const client: MysqlClient = {
    async execute(text, values) {
      calls++
      try {
        return await pool.execute(text, values)
      } catch (error) {
        const number = safeGet(error, 'errno')
        if (number !== unknownVariable) errors.push(number)
        throw error
      }
    },
  }
  return { client, errors, calls: () => calls }
}

/** Resolves with the number of the connection that waits for a lock, as soon as there is one. */
async function findWaiting(pool: TestPool): Promise<unknown> {
  for (;;) {
    // The server updates this table only if it was not read for 100 ms.
    await sleep(150)
    const [waiting] = await selectRows(
      pool,
      `SELECT trx_mysql_thread_id AS id FROM information_schema.innodb_trx
        WHERE trx_state = 'LOCK WAIT'`,
    )
    if (waiting !== undefined) return waiting['id']
  }
}

/** Returns every member of the error and of its causes as text. */
function printDeeply(error: unknown): string {
  if (typeof error !== 'object' || error === null) return String(error)
  const members = JSON.stringify(error, Object.getOwnPropertyNames(error))
  return `${String(error)} ${members} ${printDeeply(safeGet(error, 'cause'))}`
}
