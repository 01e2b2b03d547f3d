/** Stores that are filled without a service. Their databases take a minute for a million items. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { VaultStore } from 'cofferkit'
import pg from 'pg'
import type { LoadedBuild } from '../load-build.js'
import { type FillableStore, itemIdOf, markOf, type Template } from './vault.js'

/** Records that are inserted by one statement. */
const batchSize = 50_000

/** An open store. */
export interface OpenStore extends FillableStore {
  close(): Promise<void>
}

/** Opens a store in memory. */
export async function openMemory(
  build: LoadedBuild,
  _location: string,
  size: number,
): Promise<OpenStore> {
  return toOpenStore((await build.memory()).createMemoryStore(), size)
}

/** Opens an encrypted store in memory. */
export async function openEncrypted(
  build: LoadedBuild,
  _location: string,
  size: number,
): Promise<OpenStore> {
  const { createEncryptedStore, createLocalKeyProvider } = await build.encrypted()
  const inner = (await build.memory()).createMemoryStore()
  const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(7) })
  return toOpenStore(createEncryptedStore(inner, { keys }), size)
}

/** Fills a store by itself. */
function toOpenStore(store: VaultStore, size: number): OpenStore {
  return {
    store,
    async fill({ collection, itemId, mark, indexKey, text }) {
      for (let index = 0; index < size; index++) {
        const own = text.replaceAll(mark, markOf(index)).replaceAll(itemId, itemIdOf(index))
        const record = {
          body: new TextEncoder().encode(own),
          indexKey: indexKey.replaceAll(mark, markOf(index)),
        }
        await store.records.put({ collection, id: itemIdOf(index) }, record, 0)
      }
    },
    close: async () => {},
  }
}

/** Opens a store in a new SQLite file. */
export async function openSqlite(
  build: LoadedBuild,
  folder: string,
  size: number,
): Promise<OpenStore> {
  const database = new DatabaseSync(join(folder, `growth-${size}.db`))
  const store = (await build.sqlite()).createSqliteStore(database)
  return {
    store,
    async fill({ collection, itemId, mark, indexKey, text }) {
      const insert = database.prepare(`
        insert into cofferkit_records (collection, id, version, index_key, body)
        with recursive numbers (n) as (select ? union all select n + 1 from numbers where n < ?)
        select ?, printf('%026d', n), 1, replace(?, ?, printf('%06d', n)), cast(
          replace(replace(?, ?, printf('%06d', n)), ?, printf('%026d', n)) as blob)
        from numbers`)
      for (const [first, last] of batches(size))
        insert.run(first, last, collection, indexKey, mark, text, mark, itemId)
      database.exec('pragma wal_checkpoint(truncate)')
    },
    close: async () => database.close(),
  }
}

/** Opens a store in new tables of a PostgreSQL server. */
export async function openPostgres(
  build: LoadedBuild,
  url: string,
  size: number,
): Promise<OpenStore> {
  const { createPostgresStore, migratePostgres } = await build.postgres()
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  // A connection can still be closing when the server is stopped.
  pool.on('error', () => {})
  const tables = { tablePrefix: `growth_${size}_` }
  await migratePostgres(pool, tables)
  return {
    store: createPostgresStore(pool, { ...tables, prepare: true }),
    async fill({ collection, itemId, mark, indexKey, text }: Template) {
      const insert = `
        insert into growth_${size}_records (collection, id, version, index_key, body)
        select $3, lpad(n::text, 26, '0'), 1, replace($4, $5, lpad(n::text, 6, '0')), convert_to(
          replace(replace($6, $5, lpad(n::text, 6, '0')), $7, lpad(n::text, 26, '0')), 'UTF8')
        from generate_series($1::int, $2::int) n`
      for (const [first, last] of batches(size))
        await pool.query(insert, [first, last, collection, indexKey, mark, text, itemId])
      await pool.query(`vacuum analyze growth_${size}_records`)
    },
    close: () => pool.end(),
  }
}

/** The first and the last number of each batch. */
function batches(size: number): readonly (readonly [number, number])[] {
  return Array.from({ length: Math.ceil(size / batchSize) }, (_, batch) => [
    batch * batchSize,
    Math.min(size, (batch + 1) * batchSize) - 1,
  ])
}
