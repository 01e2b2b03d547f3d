import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresStore, migratePostgres } from '../../../src/storage/postgres.js'
import { blobStoreContract, recordStoreContract } from '../../../src/testing.js'
import { streamOf, utf8 } from '../../support/bytes.js'
import { increment } from '../../support/stores/increment.js'
import {
  createStoreOnTables,
  createTables,
  createTestSchema,
  databaseUrl,
  skippedSuffix,
  type TestSchema,
} from '../support/stores/postgres.js'

const key = { collection: 'c', id: 'a' }
const servers = databaseUrl === undefined ? [] : [databaseUrl]

describe(`createPostgresStore on a server${skippedSuffix}`, () => {
  it('is tested when DATABASE_URL is set', () => {
    expect(servers).toHaveLength(databaseUrl === undefined ? 0 : 1)
  })
})

describe.each(servers)('createPostgresStore on a server', () => {
  let server: TestSchema
  let pool: pg.Pool
  beforeAll(async () => {
    server = await createTestSchema()
    pool = server.connect()
  })
  afterAll(() => server.remove())

  // With prepare: true, the contracts run through the driver of Drizzle, which is this one.
  it.each(recordStoreContract)('records: $name', async ({ run }) =>
    run((await createStoreOnTables(pool, server.schema)).records),
  )
  it.each(blobStoreContract)('blobs: $name', async ({ run }) =>
    run((await createStoreOnTables(pool, server.schema)).blobs),
  )

  it('sorts ids by their bytes, whatever the collation of the server', async () => {
    const { records } = await createStoreOnTables(pool, server.schema)
    const ids = ['b', 'B', 'a', 'A', '_', '-', '1', '~']
    for (const id of ids) await records.put({ ...key, id }, { body: utf8('x') }, 0)
    const listed = (await records.list('c', { limit: 50 })).map(({ id }) => id)
    expect(listed).toEqual([...ids].sort())
  })

  it('prepares each statement once per connection when prepare is true', async () => {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    const tables = await createTables(client, server.schema)
    const { records } = createPostgresStore(client, { ...tables, prepare: true })
    await records.put(key, { body: utf8('x') }, 0)
    for (let expectedVersion = 1; expectedVersion < 10; expectedVersion++)
      await records.put(key, { body: utf8('x') }, expectedVersion)
    const { rows } = await client.query(
      "SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements WHERE name LIKE 'cofferkit%' AND statement LIKE 'UPDATE%'",
    )
    await client.end()
    expect(rows.map(({ runs }) => Number(runs))).toEqual([9])
  })

  it.each(['read committed', 'repeatable read', 'serializable'])(
    'loses no update of two pools at %s',
    async (isolation) => {
      const options = `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`
      const pools = [server.connect({ options, max: 8 }), server.connect({ options, max: 8 })]
      const tables = await createTables(pool, server.schema)
      const stores = pools.map((client) => createPostgresStore(client, tables).records)
      const rolledBack = countRolledBack(pools)
      const ids = ['a', 'b', 'c']
      const changes = stores.flatMap((records) =>
        Array.from({ length: 10 }, (_, index) =>
          increment(records, { ...key, id: ids[index % 3] ?? 'a' }, 10),
        ),
      )
      await Promise.all(changes)
      const found = await Promise.all(ids.map((id) => pool.query(countOf(tables, id))))
      const total = found.reduce((sum, { rows }) => sum + Number(rows[0]?.count), 0)
      expect(total).toBe(200)
      expect(rolledBack() > 0).toBe(isolation !== 'read committed')
    },
  )

  it('can be migrated by several processes at once', async () => {
    const tables = { schema: server.schema, tablePrefix: 'at_once_' }
    const client = server.connect({ max: 8 })
    await Promise.all(Array.from({ length: 8 }, () => client.query('SELECT 1')))
    await Promise.all(Array.from({ length: 8 }, () => migratePostgres(client, tables)))
    const { records } = createPostgresStore(pool, tables)
    expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
  })

  it('creates the schema once when three processes migrate at once', async () => {
    const pools = Array.from({ length: 3 }, () => server.connect({ max: 1 }))
    await Promise.all(pools.map((client) => client.query('SELECT 1')))
    for (let round = 0; round < 10; round++) {
      const schema = `${server.schema}_${round}`
      await Promise.all(pools.map((client) => migratePostgres(client, { schema })))
      const { records } = createPostgresStore(pool, { schema })
      expect(await records.put(key, { body: utf8('x') }, 0)).toBe(true)
      await pool.query(`DROP SCHEMA ${schema} CASCADE`)
    }
  })

  it('lists by index key and in pages with an index, without a scan', async () => {
    const tables = await createTables(pool, server.schema)
    const records = `"${tables.schema}"."${tables.tablePrefix}records"`
    await pool.query(`INSERT INTO ${records} (collection, id, version, index_key, body)
      SELECT 'c', 'id' || n, 1, 'key' || n % 5000, '' FROM generate_series(1, 50000) AS n`)
    await pool.query(`ANALYZE ${records}`)
    const plans: string[] = []
    const explaining = createPostgresStore(
      {
        async query(text, values) {
          const { rows } = await pool.query(`EXPLAIN ${text}`, values)
          plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'))
          return { rows: [] }
        },
      },
      tables,
    )
    await explaining.records.list('c', { indexKey: 'key7', limit: 50 })
    await explaining.records.list('c', { after: 'id3', limit: 50 })
    await explaining.records.get({ collection: 'c', id: 'id3' })
    const [byIndexKey, page, get] = plans
    expect(byIndexKey).toMatch(/Index Scan (?:using|on) \S*records_by_index_key/)
    expect(byIndexKey).toMatch(/index_key = 'key7'/)
    expect(page).toMatch(/Index Scan using \S*records_pkey/)
    expect(get).toMatch(/Index Scan using \S*records_pkey/)
    expect(plans.join()).not.toMatch(/Seq Scan|Sort/)
  })

  it('refuses a session that would keep the chunks of a removed blob', async () => {
    const tables = await createTables(pool, server.schema)
    const { blobs } = createPostgresStore(pool, tables)
    await blobs.write('v/a', utf8('x'))
    const options = '-c session_replication_role=replica'
    const store = createPostgresStore(server.connect({ options }), tables)
    for (const call of [() => store.blobs.delete('v/a'), () => store.blobs.write('v/b', utf8('x'))])
      await expect(call()).rejects.toMatchObject({
        code: 'STORAGE_FAILED',
        message: /session_replication_role must not be replica$/,
      })
    await blobs.delete('v/a')
    const { rows } = await pool.query(
      `SELECT 1 FROM "${tables.schema}"."${tables.tablePrefix}chunks"`,
    )
    expect(rows).toEqual([])
  })

  it('is migrated without the permission to create a schema that exists', async () => {
    const role = `${server.schema}_owner`
    await pool.query(`CREATE ROLE "${role}"`)
    await pool.query(`GRANT USAGE, CREATE ON SCHEMA "${server.schema}" TO "${role}"`)
    const limited = server.connect({ options: `-c role=${role}` })
    const tables = { schema: server.schema, tablePrefix: 'of_role_' }
    await migratePostgres(limited, tables)
    const other = { schema: `${server.schema}_other` }
    await expect(migratePostgres(limited, other)).rejects.toMatchObject({ code: 'STORAGE_FAILED' })
    expect(await createPostgresStore(limited, tables).records.get(key)).toBeUndefined()
    await pool.query(`DROP OWNED BY "${role}" CASCADE`)
    await pool.query(`DROP ROLE "${role}"`)
  })

  it('is migrated without any permission to create when its tables are current', async () => {
    const tables = await createTables(pool, server.schema)
    const role = `${server.schema}_reader`
    await pool.query(`CREATE ROLE "${role}"`)
    await pool.query(`GRANT USAGE ON SCHEMA "${server.schema}" TO "${role}"`)
    const migrations = `"${server.schema}"."${tables.tablePrefix}migrations"`
    await pool.query(`GRANT SELECT ON ${migrations} TO "${role}"`)
    const options = `-c role=${role} -c default_transaction_read_only=on -c lock_timeout=1ms`
    const reader = server.connect({ options })
    const writer = await pool.connect()
    await writer.query('BEGIN')
    await writer.query(`LOCK TABLE ${migrations} IN EXCLUSIVE MODE`)
    await migratePostgres(reader, tables)
    await writer.query('ROLLBACK')
    writer.release()
    const onPath = { options: `${options} -c search_path=${server.schema}` }
    await migratePostgres(server.connect(onPath), { tablePrefix: tables.tablePrefix })
    const other = { ...tables, tablePrefix: 'absent_' }
    await expect(migratePostgres(reader, other)).rejects.toMatchObject({ status: 503 })
    await pool.query(`DROP OWNED BY "${role}" CASCADE`)
    await pool.query(`DROP ROLE "${role}"`)
  })

  it('needs only the permission to read and write the rows of its tables', async () => {
    const tables = await createTables(pool, server.schema)
    const role = `${server.schema}_role`
    const names = ['records', 'blobs', 'chunks'].map(
      (name) => `"${server.schema}"."${tables.tablePrefix}${name}"`,
    )
    await pool.query(`CREATE ROLE "${role}"`)
    await pool.query(`GRANT USAGE ON SCHEMA "${server.schema}" TO "${role}"`)
    await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${names.join()} TO "${role}"`)
    const limited = server.connect({ options: `-c role=${role}` })
    const store = createPostgresStore(limited, tables)
    await recordStoreContract[3]?.run(store.records)
    await store.blobs.write('v/a', streamOf([utf8('x')]))
    await store.blobs.delete('v/a')
    const { rows } = await limited.query('SELECT current_user AS name')
    expect(rows).toEqual([{ name: role }])
    await pool.query(`DROP OWNED BY "${role}"`)
    await pool.query(`DROP ROLE "${role}"`)
  })
})

describe.each(servers)('createPostgresStore on a failing server', () => {
  let server: TestSchema
  beforeAll(async () => {
    server = await createTestSchema()
  })
  afterAll(() => server.remove())

  it('rejects with 503 when the connection is refused', async () => {
    const pool = new pg.Pool({ host: '127.0.0.1', port: 1 })
    const given = createPostgresStore(pool).records.get(key)
    await expect(given).rejects.toMatchObject({ status: 503, cause: { message: /ECONNREFUSED/ } })
  })

  it('rejects with 503 when the connection is lost during a statement, and works afterwards', async () => {
    const pool = server.connect()
    const locker = await server.connect().connect()
    const tables = await createTables(pool, server.schema)
    const { records } = createPostgresStore(pool, tables)
    await records.put(key, { body: utf8('x') }, 0)
    await locker.query('BEGIN')
    await locker.query(`UPDATE "${server.schema}"."${tables.tablePrefix}records" SET version = 1`)
    const given = records.put(key, { body: utf8('y') }, 1)
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND query LIKE '%${tables.tablePrefix}records%' AND pid <> pg_backend_pid()`
    const outcome = expect(given).rejects.toMatchObject({ status: 503 })
    while ((await locker.query(cut)).rowCount === 0) {}
    await outcome
    await locker.query('ROLLBACK')
    locker.release()
    expect((await records.get(key))?.version).toBe(1)
    expect(await records.put(key, { body: utf8('y') }, 1)).toBe(true)
  })

  it('rejects with 503 when a statement exceeds statement_timeout', async () => {
    const pool = server.connect({ statement_timeout: 100 })
    const locker = await server.connect().connect()
    const tables = await createTables(locker, server.schema)
    await locker.query('BEGIN')
    await locker.query(`LOCK TABLE "${server.schema}"."${tables.tablePrefix}records"`)
    const given = createPostgresStore(pool, tables).records.get(key)
    await expect(given).rejects.toMatchObject({ status: 503, cause: { message: 'error 57014' } })
    await locker.query('ROLLBACK')
    locker.release()
  })

  it('rejects with 503 when the server is read-only', async () => {
    const tables = await createTables(server.connect(), server.schema)
    const standby = server.connect({ options: '-c default_transaction_read_only=on' })
    const given = createPostgresStore(standby, tables).records.put(key, { body: utf8('x') }, 0)
    await expect(given).rejects.toMatchObject({ status: 503 })
  })

  it('rejects with 500 and no value in the error when the tables do not exist', async () => {
    const { records } = createPostgresStore(server.connect(), { schema: server.schema })
    const given = records.put(key, { body: utf8('hunter2'), indexKey: 'hunter2' }, 0)
    const error: unknown = await given.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 500, message: /run migratePostgres first/ })
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('hunter2')
  })

  it('rejects with no value in the error when the server rejects a row', async () => {
    const pool = server.connect()
    const tables = await createTables(pool, server.schema)
    const table = `"${server.schema}"."${tables.tablePrefix}records"`
    await pool.query(`ALTER TABLE ${table} ADD CHECK (index_key <> 'hunter2')`)
    const { records } = createPostgresStore(pool, tables)
    const given = records.put(
      { ...key, id: 'hunter2' },
      { body: utf8('x'), indexKey: 'hunter2' },
      0,
    )
    const error: unknown = await given.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ status: 500, cause: { message: 'error 23514' } })
    const { cause } = error as Error
    const all = [error, cause].map((one) => JSON.stringify(one, Object.getOwnPropertyNames(one)))
    expect(all.join()).not.toContain('hunter2')
  })
})

function countOf(
  { schema, tablePrefix }: { schema: string | undefined; tablePrefix: string | undefined },
  id: string,
): string {
  return `SELECT convert_from(body, 'UTF8') AS count FROM "${schema}"."${tablePrefix}records" WHERE id = '${id}'`
}

/** Counts the statements that the server rolls back from now on. */
function countRolledBack(pools: readonly pg.Pool[]): () => number {
  let count = 0
  for (const pool of pools) {
    const query = pool.query.bind(pool) as (...parameters: unknown[]) => Promise<pg.QueryResult>
    Object.assign(pool, {
      query: (...parameters: unknown[]) =>
        query(...parameters).catch((error: { code?: string }) => {
          if (error.code === '40001') count++
          throw error
        }),
    })
  }
  return () => count
}
