import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresStore, migratePostgres } from '../../../../src/storage/postgres.js'
import { postgresFolder } from '../../../../tools/reliability/support/postgres-binaries.js'
import {
  type PostgresServer,
  startPostgres,
} from '../../../../tools/reliability/support/postgres-server.js'
import { utf8 } from '../../../support/bytes.js'

const isInstalled = postgresFolder() !== undefined
const suffix = isInstalled ? '' : ' (not run: apt-get install postgresql)'
const key = { collection: 'c', id: 'a' }

describe.runIf(isInstalled)(`createPostgresStore without its synchronous replica${suffix}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres({ synchronous_standby_names: 'nobody' })
    const pool = openPool({ options: '-c synchronous_commit=local' })
    await migratePostgres(pool)
    await pool.end()
  }, 60_000)
  afterAll(() => server.stop())

  function openPool(options: pg.PoolConfig): pg.Pool {
    const pool = new pg.Pool({ connectionString: server.url, ...options })
    pool.on('error', () => {})
    return pool
  }

  it('rejects with 503 after query_timeout, and hides the write', async () => {
    const pool = openPool({ query_timeout: 1_000 })
    const { records } = createPostgresStore(pool, { prepare: true })
    const given = records.put(key, { body: utf8('x') }, 0)
    await expect(given).rejects.toMatchObject({ status: 503 })
    expect(await records.get(key)).toBeUndefined()
    await pool.end()
  })

  it('acknowledges nothing when statement_timeout ends', async () => {
    const pool = openPool({ statement_timeout: 200, query_timeout: 1_500 })
    const { records } = createPostgresStore(pool)
    const given = records.put({ ...key, id: 'b' }, { body: utf8('x') }, 0)
    await expect(given).rejects.toMatchObject({ status: 503, cause: { message: 'Error' } })
    await pool.end()
  })
})
