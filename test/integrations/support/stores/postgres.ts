/** PostgreSQL for tests: PGlite in this process, and the server at DATABASE_URL if it is set. */

import { randomBytes } from 'node:crypto'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { VaultStore } from '../../../../src/index.js'
import {
  createPostgresStore,
  migratePostgres,
  type PostgresClient,
  type PostgresTableOptions,
} from '../../../../src/storage/postgres.js'

/** The URL of the server; undefined if no server is configured. */
export const databaseUrl = process.env['DATABASE_URL']

/** The suffix of titles when no server is configured. */
export const skippedSuffix =
  databaseUrl === undefined ? ' (not run: DATABASE_URL names no server)' : ''

/** Creates a database in this process, PostgreSQL 18. */
export function openPGlite(): PGlite {
  return new PGlite()
}

let places = 0

/** Creates new, empty tables beside those of other tests. */
export async function createTables(
  client: PostgresClient,
  schema?: string,
): Promise<Required<PostgresTableOptions>> {
  const tables = { schema, tablePrefix: `t${++places}_` }
  await migratePostgres(client, tables)
  return tables
}

/** Creates a store on new tables. */
export async function createStoreOnTables(
  client: PostgresClient,
  schema?: string,
): Promise<VaultStore> {
  return createPostgresStore(client, await createTables(client, schema))
}

/** A schema on the server, and connections to it. */
export interface TestSchema {
  readonly schema: string
  /** Creates another pool; `remove` closes it. */
  connect(options?: pg.PoolConfig): pg.Pool
  /** Closes every pool and drops the schema. */
  remove(): Promise<void>
}

/** Creates a schema on the server. @throws Error if DATABASE_URL is not set. */
export async function createTestSchema(): Promise<TestSchema> {
  if (databaseUrl === undefined) throw new Error('DATABASE_URL is not set')
  const schema = `cofferkit_test_${randomBytes(6).toString('hex')}`
  const pools: pg.Pool[] = []
  const connect = (options: pg.PoolConfig = {}): pg.Pool => {
    const pool = new pg.Pool({ connectionString: databaseUrl, ...options })
    // Errors of idle connections are not part of the test.
    pool.on('error', () => {})
    pools.push(pool)
    return pool
  }
  await connect().query(`CREATE SCHEMA "${schema}"`)
  return {
    schema,
    connect,
    async remove() {
      await connect().query(`DROP SCHEMA "${schema}" CASCADE`)
      await Promise.all(pools.map((pool) => pool.end()))
    },
  }
}
