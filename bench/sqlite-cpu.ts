/** CPU of the store in SQLite, beside the same statements by each driver. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import BetterSqlite3 from 'better-sqlite3'
import type { SqliteDatabase, SqliteDriver } from 'cofferkit/sqlite'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { costHead, measureCosts, type Pair } from './stores/measure-costs.js'
import { createRecordPairs, type RawRecords } from './stores/record-pairs.js'

const drivers: Readonly<Record<string, SqliteDriver>> = {
  'node:sqlite': DatabaseSync,
  'better-sqlite3': BetterSqlite3,
}
const counts = { get: 5000, put: 1000, list: 500 }

/** Measures the first build. Every put is a commit: the drivers have one caller at a time. */
export async function benchSqliteCpu({
  builds: [{ url }],
  rounds = 15,
}: BenchOptions): Promise<PartResults> {
  const { openSqliteStore } = await loadBuild(url).sqlite()
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  const closing: (() => unknown)[] = []
  try {
    const pairs: Pair[] = []
    for (const [name, driver] of Object.entries(drivers)) {
      const path = join(folder, `${name.replace(':', '-')}.db`)
      const store = await openSqliteStore(path, { driver })
      const raw = new driver(path)
      closing.push(
        () => store.close(),
        () => raw.close(),
      )
      pairs.push(...(await createRecordPairs(store.records, createRaw(raw), counts, `${name}, `)))
    }
    const rows = await measureCosts(pairs, rounds, 1)
    const title = 'SQLite, CPU of an operation on an item’s record'
    return { tables: [{ id: 'sqlite-cpu', title, rows: [costHead, ...rows] }] }
  } finally {
    for (const close of closing) await close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Prepared statements on the table of the store, with its settings. */
function createRaw(database: SqliteDatabase): RawRecords {
  database.exec('pragma journal_mode = wal; pragma synchronous = full')
  const table = 'cofferkit_records'
  const get = database.prepare(`select version, body from ${table} where collection = ? and id = ?`)
  const put = database.prepare(`update ${table} set version = version + 1, index_key = ?, body = ?
    where collection = ? and id = ? and version = ?`)
  const list = database.prepare(
    `select id, version, body from ${table} where collection = ? order by id limit ?`,
  )
  return {
    get: (...values) => get.get(...values),
    put: ({ collection, id, indexKey, body }, version) =>
      put.run(indexKey, body, collection, id, version).changes === 1,
    list: (...values) => list.all(...values),
  }
}
