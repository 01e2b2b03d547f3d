/** Opens the store of the check `changes` in one of its processes. */

import { join } from 'node:path'
import type { VaultStore } from 'cofferkit'
import { createPostgresStore } from 'cofferkit/postgres'
import { openSqliteStore } from 'cofferkit/sqlite'
import pg from 'pg'

/** Connects to a location of the engine `sqlite` or `postgres` in `support/stores.ts`. */
export async function openStore(engine: string, address: string): Promise<VaultStore> {
  if (engine === 'sqlite') return openSqliteStore(join(address, 'vault.sqlite'))
  const { url, schema }: { url: string; schema: string } = JSON.parse(address)
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  pool.on('error', () => {})
  return createPostgresStore(pool, { schema })
}
