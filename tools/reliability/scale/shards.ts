/** Shards on PostgreSQL servers. Each is a schema with a store, and can be moved to another server. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { VaultStore } from 'cofferkit'
import { createPostgresStore, migratePostgres } from 'cofferkit/postgres'
import pg from 'pg'
import { postgresFolder, postgresUser } from '../support/postgres-binaries.js'
import { type PostgresServer, startPostgres } from '../support/postgres-server.js'
import { runProgram } from '../support/server-process.js'

/** A server and connections to it. */
export interface ShardServer {
  readonly server: PostgresServer
  readonly pool: pg.Pool
  close(): Promise<void>
}

/** A store and its location. */
export interface Shard {
  readonly schema: string
  readonly on: ShardServer
  readonly store: VaultStore
}

/** Starts a server and opens connections. */
export async function openServer(): Promise<ShardServer> {
  const server = await startPostgres()
  const pool = new pg.Pool({ connectionString: server.url, max: 8 })
  pool.on('error', () => {})
  const close = async (): Promise<void> => {
    await pool.end()
    await server.stop()
  }
  return { server, pool, close }
}

/** Creates an empty shard on the server. */
export async function createShard(on: ShardServer, schema: string): Promise<Shard> {
  await on.pool.query(`CREATE SCHEMA ${schema}`)
  await migratePostgres(on.pool, { schema })
  return openShard(on, schema)
}

/**
 * Moves the shard with all its data to another server. It must not be written meanwhile. The old
 * schema is removed.
 */
export async function moveShard({ schema, on }: Shard, to: ShardServer): Promise<Shard> {
  const file = join(on.server.dataFolder, `${schema}.sql`)
  await runTool('pg_dump', ['--schema', schema, '--file', file, on.server.url])
  const quietly = ['--quiet', '--output=/dev/null', '--set=ON_ERROR_STOP=1']
  await runTool('psql', [...quietly, '--file', file, to.server.url])
  rmSync(file)
  await on.pool.query(`DROP SCHEMA ${schema} CASCADE`)
  return openShard(to, schema)
}

/** Counts the vaults, the other records and the blobs of the shard. */
export async function countRows({ schema, on }: Shard): Promise<readonly [number, number, number]> {
  const { rows } = await on.pool.query<{ vaults: string; records: string; blobs: string }>(
    `SELECT (SELECT count(*) FROM ${schema}.cofferkit_records WHERE collection = 'vaults') AS vaults,
      (SELECT count(*) FROM ${schema}.cofferkit_records WHERE collection <> 'vaults') AS records,
      (SELECT count(*) FROM ${schema}.cofferkit_blobs) AS blobs`,
  )
  const { vaults, records, blobs } = rows[0] ?? {}
  return [Number(vaults), Number(records), Number(blobs)]
}

function openShard(on: ShardServer, schema: string): Shard {
  return { schema, on, store: createPostgresStore(on.pool, { schema, prepare: true }) }
}

function runTool(name: string, parameters: readonly string[]): Promise<void> {
  const user = postgresUser()
  return runProgram(join(postgresFolder() ?? '', name), parameters, { ...user, cwd: '/' })
}
