import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresStore, migratePostgres } from '../../../../src/storage/postgres.js'
import { blobStoreContract, recordStoreContract } from '../../../../src/testing.js'
import { utf8 } from '../../../support/bytes.js'
import { increment } from '../../../support/stores/increment.js'
import { type PgBouncer, pgBouncerVersion, startPgBouncer } from '../../support/stores/pgbouncer.js'
import {
  createStoreOnTables,
  createTables,
  createTestSchema,
  databaseUrl,
  type TestSchema,
} from '../../support/stores/postgres.js'

const version = pgBouncerVersion()
const missing = [
  ...(databaseUrl === undefined ? ['DATABASE_URL names no server'] : []),
  ...(version === undefined ? ['apt-get install pgbouncer'] : []),
]
const canPrepare = version !== undefined && version >= 1.21
const suffix = missing.length === 0 ? '' : ` (not run: ${missing.join(', ')})`

describe(`createPostgresStore through PgBouncer${suffix}`, () => {
  it('is tested when PgBouncer is installed and DATABASE_URL is set', () => {
    expect(missing.length === 0).toBe(version !== undefined && databaseUrl !== undefined)
  })
})

describe.runIf(missing.length === 0)('createPostgresStore through PgBouncer', () => {
  let server: TestSchema
  let bouncer: PgBouncer
  let pool: pg.Pool
  beforeAll(async () => {
    server = await createTestSchema()
    bouncer = await startPgBouncer(databaseUrl ?? '')
    pool = server.connect({ connectionString: bouncer.url, max: 8 })
  }, 60_000)
  afterAll(async () => {
    await server.remove()
    await bouncer.stop()
  })

  it('has one connection to several servers in turn', async () => {
    const client = new pg.Client(bouncer.url)
    await client.connect()
    const processes = new Set<number>()
    for (let count = 0; processes.size < 2 && count < 500; count++) {
      const busy = Array.from({ length: 4 }, () => pool.query('SELECT pg_sleep(0.002)'))
      const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
      processes.add(rows[0].pid)
      await Promise.all(busy)
    }
    await client.end()
    expect(processes.size).toBe(2)
  })

  it.each(recordStoreContract)('records: $name', async ({ run }) =>
    run((await createStoreOnTables(pool, server.schema)).records),
  )
  it.each(blobStoreContract)('blobs: $name', async ({ run }) =>
    run((await createStoreOnTables(pool, server.schema)).blobs),
  )

  it('loses no update of more callers than it has connections', async () => {
    const { records } = await createStoreOnTables(pool, server.schema)
    const key = { collection: 'c', id: 'a' }
    await Promise.all(Array.from({ length: 16 }, () => increment(records, key, 10)))
    expect(new TextDecoder().decode((await records.get(key))?.body)).toBe('160')
  })

  it.skipIf(canPrepare)(
    'rejects calls with a StorageError when prepare is true and it is older than 1.21',
    async () => {
      const tables = await createTables(pool, server.schema)
      const { records } = createPostgresStore(pool, { ...tables, prepare: true })
      const calls = Array.from({ length: 32 }, (_, index) =>
        records.put({ collection: 'c', id: `id${index}` }, { body: utf8('x') }, 0),
      )
      const settled = await Promise.allSettled(calls)
      const errors = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
      expect(errors.length).toBeGreaterThan(0)
      for (const error of errors) expect(error).toMatchObject({ code: 'STORAGE_FAILED' })
    },
  )

  it('can be migrated through', async () => {
    const tables = { schema: server.schema, tablePrefix: 'bounced_' }
    await Promise.all([migratePostgres(pool, tables), migratePostgres(pool, tables)])
    const { records } = createPostgresStore(pool, tables)
    expect(await records.put({ collection: 'c', id: 'a' }, { body: utf8('x') }, 0)).toBe(true)
  })
})
