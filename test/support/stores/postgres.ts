/** PostgreSQL for tests: PGlite in this process always, and the server that DATABASE_URL names when it names one. */

import { randomBytes } from 'node:crypto'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { VaultStore } from '../../../src/index.js'
import {
  createPostgresStore,
  migratePostgres,
  type PostgresClient,
  type PostgresTableOptions,
} from '../../../src/storage/postgres.js'

/** The server; undefined if there is none to test against. */
export const databaseUrl = process.env['DATABASE_URL']

/** What is added to a title when there is no server. */
export const orNotRun = databaseUrl === undefined ? ' (not run: DATABASE_URL names no server)' : ''

/** A database in this process, of PostgreSQL 18. */
export function openPGlite(): PGlite {
  return new PGlite()
}

let places = 0

/** Tables of their own, empty, beside those of other tests. */
export async function freshTables(
  client: PostgresClient,
  schema?: string,
): Promise<Required<PostgresTableOptions>> {
  const tables = { schema, tablePrefix: `t${++places}_` }
  await migratePostgres(client, tables)
  return tables
}

/** A store on tables of its own. */
export async function freshStore(client: PostgresClient, schema?: string): Promise<VaultStore> {
  return createPostgresStore(client, await freshTables(client, schema))
}

/** A schema of our own on the server, and connections to it. */
export interface ServerPlace {
  readonly schema: string
  /** Another pool; it is closed with the place. */
  connect(options?: pg.PoolConfig): pg.Pool
  /** Closes every pool, and removes the schema with all that is in it. */
  remove(): Promise<void>
}

/** A new place on the server. @throws Error if DATABASE_URL names none. */
export async function createPlace(): Promise<ServerPlace> {
  if (databaseUrl === undefined) throw new Error('DATABASE_URL names no server')
  const schema = `cofferkit_test_${randomBytes(6).toString('hex')}`
  const pools: pg.Pool[] = []
  const connect = (options: pg.PoolConfig = {}): pg.Pool => {
    const pool = new pg.Pool({ connectionString: databaseUrl, ...options })
    // A connection that is cut while it waits in the pool is not what the test looks at.
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
