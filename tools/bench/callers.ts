/**
 * Requests per second of 1, 8 and 32 callers to a service in PostgreSQL and MariaDB, in process,
 * beside raw updates of the same table. No caller waits for the item of another one.
 */

import type { VaultStore } from 'cofferkit'
import mysql from 'mysql2/promise'
import pg from 'pg'
import { createMysqlLocation } from '../reliability/support/mysql-location.js'
import { hasMysql } from '../reliability/support/mysql-server.js'
import { withPostgres } from '../reliability/support/postgres-server.js'
import { type LoadedBuild, loadBuild } from './load-build.js'
import { median } from './measure.js'
import type { BenchOptions } from './run.js'
import { draft, patch } from './sample.js'
import { fixed, type Table } from './table.js'

const callerCounts = [1, 8, 32]
const maxCallers = 32
/** Requests in a slice. */
const count = 640

/** A store, and a statement on its table of records. */
interface Database {
  readonly store: VaultStore
  /** Writes the version after `version`, as the store does, and resolves with the number of rows. */
  update(collection: string, id: string, body: Uint8Array, version: number): Promise<unknown>
  close(): Promise<unknown>
}

/** A request of the caller with this number. */
type Request = (caller: number) => Promise<unknown>

/** Measures the first build. Without a MySQL server, on PostgreSQL only. */
export async function benchCallers({
  builds: [{ url }],
  rounds = 5,
}: BenchOptions): Promise<readonly Table[]> {
  const build = loadBuild(url)
  const rows = await withPostgres(async (location) =>
    measure('PostgreSQL', await openPostgres(build, location), build, rounds),
  )
  if (hasMysql()) {
    const { address, remove } = await createMysqlLocation()
    try {
      rows.push(...(await measure('MariaDB', await openMysql(build, address), build, rounds)))
    } finally {
      await remove()
    }
  }
  const names = callerCounts.map((callers) => `${callers} caller${callers === 1 ? '' : 's'}`)
  const head = ['', ...names, ...callerCounts.map((callers) => `${callers} ÷ updates`)]
  const title = 'Requests per second of concurrent callers, and ÷ raw updates'
  return [{ id: 'callers', title, rows: [head, ...rows] }]
}

async function measure(
  title: string,
  database: Database,
  build: LoadedBuild,
  rounds: number,
): Promise<string[][]> {
  console.error(`callers: ${title}`)
  try {
    const requests = Object.entries(await createRequests(database, build))
    const rates = new Map<string, number[]>()
    for (let round = -1; round < rounds; round++) {
      for (const callers of callerCounts) {
        for (const [name, request] of requests) {
          const key = `${name} ${callers}`
          const rate = await measureRate(request, callers)
          if (round >= 0) rates.set(key, [...(rates.get(key) ?? []), rate])
        }
      }
    }
    const rateOf = (name: string, callers: number): number =>
      median(rates.get(`${name} ${callers}`) ?? [])
    return requests.map(([name]) => [
      `${title}: ${name}`,
      ...callerCounts.map((callers) => fixed(rateOf(name, callers), 0)),
      ...callerCounts.map((callers) => fixed(rateOf(name, callers) / rateOf('update', callers))),
    ])
  } finally {
    await database.close()
  }
}

async function measureRate(request: Request, callers: number): Promise<number> {
  const start = performance.now()
  const run = async (_: unknown, caller: number): Promise<void> => {
    for (let index = 0; index < count / callers; index++) await request(caller)
  }
  await Promise.all(Array.from({ length: callers }, run))
  return (count * 1000) / (performance.now() - start)
}

/** Creates an item and a record for each caller. */
async function createRequests(
  { store, update }: Database,
  build: LoadedBuild,
): Promise<Readonly<Record<string, Request>>> {
  const { createVaultService, createCaller } = await build.core()
  const service = createVaultService({ store })
  const user = createCaller('bench', '*')
  const { id: vaultId } = await service.createVault(user, { name: 'bench' })
  const createItem: Request = (index) =>
    service.createItem(user, { vaultId, item: draft(index, vaultId) })
  const itemIds: string[] = []
  const body = new TextEncoder().encode(JSON.stringify(draft(0)))
  for (let caller = 0; caller < maxCallers; caller++) {
    const { id } = await service.createItem(user, { vaultId, item: draft(caller, vaultId) })
    itemIds.push(id)
    await store.records.put({ collection: 'raw', id: `${caller}` }, { body }, 0)
  }
  const versions = itemIds.map(() => 1)
  const ref = (caller: number) => ({ vaultId, itemId: itemIds[caller] ?? '' })
  let turn = 0
  return {
    update: async (caller) => {
      const version = versions[caller] ?? 0
      versions[caller] = version + 1
      if ((await update('raw', `${caller}`, body, version)) !== 1)
        throw new Error('an update was lost')
    },
    get: (caller) => service.getItem(user, ref(caller)),
    create: createItem,
    replace: (caller) =>
      service.replaceItem(user, { ...ref(caller), item: draft(turn++, vaultId) }),
    patch: (caller) => service.patchItem(user, { ...ref(caller), patch: patch(turn++) }),
  }
}

async function openPostgres(build: LoadedBuild, url: string): Promise<Database> {
  const { createPostgresStore, migratePostgres } = await build.postgres()
  const pool = new pg.Pool({ connectionString: url, max: maxCallers })
  const tablePrefix = `callers_${process.pid}_`
  await migratePostgres(pool, { tablePrefix })
  const text = `UPDATE ${tablePrefix}records SET version = version + 1, index_key = $3, body = $4
    WHERE collection = $1 AND id = $2 AND version = $5`
  return {
    store: createPostgresStore(pool, { tablePrefix, prepare: true }),
    async update(collection, id, body, version) {
      const values = [collection, id, null, body, version]
      return (await pool.query({ name: 'update', text, values })).rowCount
    },
    close: () => pool.end(),
  }
}

async function openMysql(build: LoadedBuild, address: string): Promise<Database> {
  const { createMysqlStore } = await build.mysql()
  const { url, database }: { url: string; database: string } = JSON.parse(address)
  const pool = mysql.createPool({ uri: url, database, connectionLimit: maxCallers })
  const text = `UPDATE cofferkit_records SET version = version + 1, index_key = ?, body = ?
    WHERE collection = ? AND id = ? AND version = ?`
  return {
    store: createMysqlStore(pool, { database }),
    async update(collection, id, body, version) {
      const values = [null, Buffer.from(body), Buffer.from(collection), Buffer.from(id), version]
      const [result] = await pool.execute<mysql.ResultSetHeader>(text, values)
      return result.affectedRows
    },
    close: () => pool.end(),
  }
}
