import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { vaultRecords } from '../../../src/base/stored-records.js'
import { createCaller, createVaultService, type VaultStore } from '../../../src/index.js'
import { createEncryptedStore, type EncryptedStore } from '../../../src/storage/encrypted.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createMysqlStore, type MysqlClient, migrateMysql } from '../../../src/storage/mysql.js'
import {
  createPostgresStore,
  migratePostgres,
  type PreparedStatement,
} from '../../../src/storage/postgres.js'
import { createSqliteStore, type SqliteDatabase } from '../../../src/storage/sqlite.js'
import { utf8 } from '../../support/bytes.js'
import { createKeys } from '../../support/stores/encrypted-stores.js'
import {
  skippedSuffix as mysqlSuffix,
  startTestServer,
  type TestPool,
  type TestServer,
} from '../support/stores/mysql.js'
import {
  createTestSchema,
  databaseUrl,
  skippedSuffix as postgresSuffix,
  type TestSchema,
} from '../support/stores/postgres.js'

/** A store over a client that joins the transaction of its caller, as those of many services do. */
interface JoiningStore {
  readonly store: VaultStore
  /** Calls `work` in a transaction, and rolls it back. */
  rollBack(work: () => Promise<void>): Promise<void>
  /** Calls `work` in a transaction, and commits it. */
  commit(work: () => Promise<void>): Promise<void>
  /** A store that joins no transaction, over the same tables. */
  readonly outside: VaultStore
}

const caller = createCaller({ id: 'wendy', vaults: '*' })
const first = { collection: 'items/v1', id: 'a' }
const second = { collection: 'items/v2', id: 'a' }
const refused = {
  code: 'STORAGE_FAILED',
  message: expect.stringContaining('in a transaction'),
}

/** Checks that every process reads every record that one of them has written outside transactions. */
async function expectReadable(stores: readonly EncryptedStore[]): Promise<void> {
  for (const [index, store] of stores.entries()) {
    const key = { ...first, id: `of-${index}` }
    expect(await store.records.put(key, { body: utf8('x'), indexKey: 'k' }, 0)).toBe(true)
    for (const reader of stores) expect((await reader.records.get(key))?.body).toEqual(utf8('x'))
  }
}

/** The cases for a store, whatever its database. */
function testStore(create: () => Promise<JoiningStore>): void {
  const keys = createKeys()
  const open = async () => {
    const joining = await create()
    const { store, outside } = joining
    return {
      ...joining,
      own: createEncryptedStore(store, { keys }),
      other: createEncryptedStore(outside, { keys }),
    }
  }

  it('keeps no key that was made in a transaction that is rolled back', async () => {
    const { own, other, outside, rollBack } = await open()
    await rollBack(async () => {
      await expect(own.records.put(first, { body: utf8('1') }, 0)).rejects.toMatchObject(refused)
      // Again, because the ring can now be read within the transaction.
      await own.records.put(first, { body: utf8('1') }, 0).then(
        () => expect.unreachable(),
        () => {},
      )
    })
    expect(await outside.records.get({ collection: 'keys', id: 'v1' })).toBeUndefined()
    await expectReadable([own, other, createEncryptedStore(outside, { keys })])
  })

  it.each(['rotateDataKeys', 'rewrapKeys'] as const)(
    'keeps what %s has changed in no transaction that is rolled back',
    async (method) => {
      const { store, other, outside, rollBack } = await open()
      await other.records.put(first, { body: utf8('1') }, 0)
      const next = { ...keys, kekIds: [...keys.kekIds, 'next'], currentKekId: 'next' }
      next.unwrap = (_, ...rest) => keys.unwrap(keys.currentKekId, ...rest)
      const own = createEncryptedStore(store, { keys: method === 'rewrapKeys' ? next : keys })
      await own.records.get(first)
      await rollBack(async () => {
        await expect(own[method]()).rejects.toMatchObject(refused)
      })
      await expectReadable([own, other, createEncryptedStore(outside, { keys })])
    },
  )

  it('does not report an erasure in a transaction as done', async () => {
    const { own, other, outside, rollBack } = await open()
    const vault = { collection: 'vaults', id: 'v1' }
    await other.records.put(first, { body: utf8('1') }, 0)
    await other.records.put(vault, { body: vaultRecords.tombstoneOf('v1') }, 0)
    for (const key of [first, vault]) await own.records.get(key)
    await rollBack(async () => {
      const erasing = own.eraseKeys({ scopes: ['v1'], backupsKeepThem: true })
      await expect(erasing).rejects.toMatchObject(refused)
    })
    await expectReadable([own, other, createEncryptedStore(outside, { keys })])
  })

  it('keeps the keys of a vault whose deletion is rolled back, although its ring is elsewhere', async () => {
    const { store, outside, rollBack } = await open()
    const keyRings = createMemoryStore().records
    const { blobs } = createMemoryStore()
    const start = ({ records }: VaultStore) => {
      const encrypted = createEncryptedStore({ records, blobs }, { keys, keyRings })
      return { encrypted, service: createVaultService({ store: encrypted }) }
    }
    const { service } = start(outside)
    const { id: vaultId } = await service.createVault(caller, { name: 'Acme' })
    const item = { vault: { id: vaultId }, category: 'LOGIN', title: 'Mail' } as const
    const { id: itemId } = await service.createItem(caller, { vaultId, item })
    const joining = start(store)
    await joining.service.getItem(caller, { vaultId, itemId })
    await rollBack(async () => {
      const deleteAndErase = async () => {
        // SQLite already refuses this.
        await joining.service.deleteVault(caller, { vaultId })
        await joining.encrypted.eraseKeys({ scopes: [vaultId] })
      }
      await expect(deleteAndErase()).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    })
    for (const process of [start(outside), joining])
      expect(await process.service.getItem(caller, { vaultId, itemId })).toMatchObject(item)
  })

  it('does not remove a ring when the transaction of its new place is rolled back', async () => {
    const { store, outside, rollBack } = await open()
    await createEncryptedStore(outside, { keys }).records.put(first, { body: utf8('1') }, 0)
    const rings = await create()
    const own = createEncryptedStore(outside, { keys, keyRings: rings.store.records })
    await rings.rollBack(async () => {
      await expect(own.moveKeyRings()).rejects.toMatchObject(refused)
    })
    expect(store).toBeDefined()
    expect(await outside.records.get({ collection: 'keys', id: 'v1' })).toBeDefined()
    await rollBack(async () => {})
    expect(await own.moveKeyRings()).toBe(1)
    expect((await own.records.get(first))?.body).toEqual(utf8('1'))
  })

  it('can be used again after a refusal, whose transaction was committed', async () => {
    const { own, other, outside, commit } = await open()
    await commit(async () => {
      await expect(own.records.put(first, { body: utf8('1') }, 0)).rejects.toMatchObject(refused)
    })
    await expectReadable([own, other, createEncryptedStore(outside, { keys })])
  })

  it('works outside transactions while another call is in one', async () => {
    const { own, other, rollBack } = await open()
    await other.records.put(second, { body: utf8('2') }, 0)
    await rollBack(async () => {
      await expect(own.records.put(first, { body: utf8('1') }, 0)).rejects.toMatchObject(refused)
    })
    expect((await own.records.get(second))?.body).toEqual(utf8('2'))
  })
}

describe.runIf(databaseUrl !== undefined)(
  `createEncryptedStore over a PostgreSQL client in a transaction${postgresSuffix}`,
  () => {
    let server: TestSchema
    let tables = 0
    beforeAll(async () => {
      server = await createTestSchema()
    })
    afterAll(() => server.remove())

    /** @param rewrite Changes the text of a statement, so that the server has other functions. */
    const createWith =
      (options: { readonly prepare?: boolean } = {}, rewrite = (text: string) => text) =>
      async (): Promise<JoiningStore> => {
        const pool = server.connect({ max: 4 })
        const names = { schema: server.schema, tablePrefix: `tx${++tables}_` }
        await migratePostgres(pool, names)
        const transactions = new AsyncLocalStorage<pg.PoolClient>()
        const client = {
          query(statement: string | PreparedStatement, values?: unknown[]) {
            const connection = transactions.getStore() ?? pool
            return typeof statement === 'string'
              ? connection.query(rewrite(statement), values)
              : connection.query({ ...statement, text: rewrite(statement.text) })
          },
        }
        const inTransaction = async (end: string, work: () => Promise<void>): Promise<void> => {
          const connection = await pool.connect()
          try {
            await connection.query('BEGIN')
            await transactions.run(connection, work)
          } finally {
            await connection.query(end)
            connection.release()
          }
        }
        return {
          store: createPostgresStore(client, { ...names, ...options }),
          outside: createPostgresStore(pool, names),
          rollBack: (work) => inTransaction('ROLLBACK', work),
          commit: (work) => inTransaction('COMMIT', work),
        }
      }

    describe('unchanged', () => testStore(createWith()))
    describe('with prepared statements', () => testStore(createWith({ prepare: true })))

    // The server itself answers 42883, which aborts a transaction.
    describe('of a server without pg_current_xact_id_if_assigned', () =>
      testStore(
        createWith({}, (text) => text.replace('pg_current_xact_id_if_assigned', 'missing')),
      ))
    describe('of a server without txid_current_if_assigned, either', () =>
      testStore(
        createWith({}, (text) =>
          text.replace(/(?:pg_current_xact_id|txid_current)_if_ass/, 'missing'),
        ),
      ))

    const status = `CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN 'NoTxn' ELSE 'Open' END`
    describe('that answers like CockroachDB', () =>
      testStore(
        createWith({}, (text) =>
          text
            .replace('version()', "'CockroachDB CCL v25.2.0'::text")
            .replace('SHOW TRANSACTION STATUS', `SELECT ${status} AS "TRANSACTION STATUS"`),
        ),
      ))
  },
)

describe.runIf(mysqlSuffix === '')(
  `createEncryptedStore over a MariaDB client in a transaction${mysqlSuffix}`,
  () => {
    let server: TestServer
    beforeAll(async () => {
      server = await startTestServer()
    })
    afterAll(() => server.remove())

    describe.each(['mysql2', 'mariadb'] as const)('with %s', (driver) => {
      let pool: TestPool
      beforeAll(() => {
        pool = server.connect(driver)
      })
      testStore(async () => {
        const tables = { tablePrefix: `tx_${randomBytes(4).toString('hex')}_` }
        await migrateMysql(pool, tables)
        const transactions = new AsyncLocalStorage<MysqlClient>()
        const client: MysqlClient = {
          execute: (...args) => (transactions.getStore() ?? pool).execute(...args),
        }
        const inTransaction = async (end: string, work: () => Promise<void>): Promise<void> => {
          const connection = await pool.getConnection()
          try {
            await connection.query('BEGIN')
            await transactions.run(connection, work)
          } finally {
            await connection.query(end)
            await connection.release()
          }
        }
        return {
          store: createMysqlStore(client, tables),
          outside: createMysqlStore(pool, tables),
          rollBack: (work) => inTransaction('ROLLBACK', work),
          commit: (work) => inTransaction('COMMIT', work),
        }
      })
    })
  },
)

/** Gives the store savepoints in place of transactions, as some query builders do. */
function joinTransactions(database: SqliteDatabase): SqliteDatabase {
  const statements: Readonly<Record<string, string>> = {
    'begin immediate': 'savepoint own',
    commit: 'release own',
    rollback: 'rollback to own',
  }
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => database.prepare(statements[sql] ?? sql),
    get isTransaction() {
      return database.isTransaction ?? database.inTransaction
    },
  } as SqliteDatabase
}

describe.each([
  ['node:sqlite', DatabaseSync],
  ['better-sqlite3', Database],
] as const)('createEncryptedStore over %s in a transaction', (_, Driver) => {
  testStore(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cofferkit-transactions-'))
    const [database, other] = [1, 2].map(() => new Driver(join(folder, 'a.db')) as SqliteDatabase)
    if (database === undefined || other === undefined) throw new Error('no database')
    onTestFinished(() => {
      for (const open of [database, other]) Object(open).close()
      rmSync(folder, { recursive: true })
    })
    const inTransaction = async (end: string, work: () => Promise<void>): Promise<void> => {
      database.exec('begin')
      try {
        await work()
      } finally {
        database.exec(end)
      }
    }
    return {
      store: createSqliteStore(joinTransactions(database)),
      outside: createSqliteStore(other),
      rollBack: (work) => inTransaction('rollback', work),
      commit: (work) => inTransaction('commit', work),
    }
  })

  it('refuses a write on a connection on which the application has begun a transaction', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cofferkit-transactions-'))
    const database = new Driver(join(folder, 'a.db')) as SqliteDatabase
    onTestFinished(() => {
      Object(database).close()
      rmSync(folder, { recursive: true })
    })
    const { records } = createSqliteStore(database)
    database.exec('begin')
    await expect(records.put(first, { body: utf8('1') }, 0)).rejects.toMatchObject(refused)
    database.exec('rollback')
    expect(await records.put(first, { body: utf8('1') }, 0)).toBe(true)
  })
})
