/** Opens a store on a cluster, whose statements go to the primary, with either driver. */

import type { VaultStore } from 'cofferkit'
import { createPostgresStore, migratePostgres, type PostgresClient } from 'cofferkit/postgres'
import pg from 'pg'
import postgres from 'postgres'
import { routeToPrimary } from '../../../examples/route-to-primary.js'
import type { Member } from './member.js'

/** The name of a driver. postgres.js finds the primary itself. */
export type Driver = 'pg' | 'postgres.js'

/** A store with connections of its own. Its tables exist. */
export interface OpenStore {
  readonly store: VaultStore
  close(): Promise<void>
}

/** Opens a store with at most eight connections to a server. */
export async function openStore(driver: Driver, members: readonly Member[]): Promise<OpenStore> {
  return driver === 'pg' ? openWithPg(members) : openWithPostgresJs(members)
}

async function openWithPg(members: readonly Member[]): Promise<OpenStore> {
  const options = { max: 8, connectionTimeoutMillis: 2_000, query_timeout: 20_000 }
  const pools = new Map<string, pg.Pool>()
  for (const { patroni, url } of members) {
    const pool = new pg.Pool({ connectionString: url, ...options })
    pool.on('error', () => {})
    pools.set(patroni, pool)
  }
  const client = routeToPrimary(pools)
  await migratePostgres(client)
  return {
    store: createPostgresStore(client, { prepare: true }),
    async close() {
      for (const pool of pools.values()) await pool.end()
    },
  }
}

async function openWithPostgresJs(members: readonly Member[]): Promise<OpenStore> {
  const hosts = members.map(({ url }) => new URL(url).host).join()
  const sql = postgres(`postgres://postgres@${hosts}/postgres`, {
    target_session_attrs: 'primary',
    max: 8,
    connect_timeout: 2,
    backoff: () => 0.1,
    onnotice: () => {},
  })
  const client: PostgresClient = {
    query: async (text, values) => ({
      rows: await sql.unsafe(text, values as never[], { prepare: true }),
    }),
  }
  await migratePostgres(client)
  return { store: createPostgresStore(client), close: () => sql.end({ timeout: 1 }) }
}
