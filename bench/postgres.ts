/** Patches per second on PostgreSQL, beside raw updates of the same rows by its driver. */

import pg from 'pg'
import { withPostgres } from '../reliability/support/postgres-server.js'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { median, medianRatio } from './statistics.js'
import { createPatchTask } from './stores/patch-task.js'
import {
  collection,
  createBody,
  createId,
  indexKey,
  measureRate,
  type Task,
} from './stores/rows.js'
import { fixed, lowerVerdict } from './table.js'

interface Contender {
  readonly name: string
  readonly task: Task
  readonly goal?: number
  readonly rates: number[]
}

const count = 1500
const concurrencies = [1, 8, 32]

/** Measures the first build on the server in `DATABASE_URL`, or on one that is started. */
export async function benchPostgres({
  builds: [{ url }],
  rounds = 7,
}: BenchOptions): Promise<PartResults> {
  return withPostgres(async (databaseUrl) => {
    const rows: string[][] = []
    for (const concurrency of concurrencies)
      rows.push(...(await measure(databaseUrl, url, concurrency, rounds)))
    const head = ['', 'per second', '÷ raw', 'goal', '']
    const title = 'PostgreSQL, changes per second'
    return { tables: [{ id: 'postgres', title, rows: [head, ...rows] }] }
  })
}

async function measure(
  connectionString: string,
  url: string,
  concurrency: number,
  rounds: number,
): Promise<string[][]> {
  const build = loadBuild(url)
  const { createPostgresStore, migratePostgres } = await build.postgres()
  const tables = { tablePrefix: `bench${concurrency}_` }
  const pool = new pg.Pool({ connectionString, max: concurrency })
  // A connection can still be closing when the server is stopped.
  pool.on('error', () => {})
  try {
    await migratePostgres(pool, tables)
    const prepared = createPostgresStore(pool, { ...tables, prepare: true })
    const unprepared = createPostgresStore(pool, tables)
    const baseline: Contender = {
      name: 'raw',
      task: await createRawTask(pool, concurrency),
      rates: [],
    }
    const contenders: readonly Contender[] = [
      baseline,
      {
        name: 'raw, with an indexed title',
        task: await createRawTask(pool, concurrency, true),
        rates: [],
      },
      {
        name: 'patchItem',
        task: await createPatchTask(build, prepared, concurrency),
        goal: 0.6,
        rates: [],
      },
      {
        name: 'patchItem, with the cache',
        task: await createPatchTask(build, prepared, concurrency, 256),
        goal: concurrency === 1 ? 0.85 : 0.6,
        rates: [],
      },
      {
        name: 'patchItem, without prepared statements',
        task: await createPatchTask(build, unprepared, concurrency),
        rates: [],
      },
    ]
    for (let round = -1; round < rounds; round++) {
      for (const { task, rates } of contenders) {
        const rate = await measureRate(count, concurrency, task)
        if (round >= 0) rates.push(rate)
      }
    }
    return contenders.map(({ name, rates, goal }) => {
      const ratio = medianRatio(rates, baseline.rates)
      const cells = goal === undefined ? [] : [`>= ${fixed(goal)}`, lowerVerdict(ratio, goal)]
      return [`${name}, ${concurrency} concurrent`, fixed(median(rates), 0), fixed(ratio), ...cells]
    })
  } finally {
    await pool.end()
  }
}

/**
 * Each change is one prepared update of a row that no other worker changes. With an indexed title,
 * the update also sets another title, as the patches do: the server then writes to both indexes.
 */
async function createRawTask(
  pool: pg.Pool,
  concurrency: number,
  hasIndexedTitle = false,
): Promise<Task> {
  const table = `bench_raw_${hasIndexedTitle ? 'indexed_' : ''}${concurrency}`
  await pool.query(`drop table if exists ${table}`)
  await pool.query(`create table ${table} (collection text collate "C", id text collate "C",
    version integer, label text collate "C", body bytea, primary key (collection, id))`)
  if (hasIndexedTitle) await pool.query(`create index on ${table} (collection, label, id)`)
  const insert = `insert into ${table} values ($1, $2, 1, $3, $4)`
  for (let index = 0; index < concurrency; index++)
    await pool.query(insert, [collection, createId(index), indexKey, Buffer.from(createBody())])
  const text = `update ${table} set version = version + 1, body = $3${
    hasIndexedTitle ? ', label = $4' : ''
  } where collection = $1 and id = $2`
  let turn = 0
  return (worker) => {
    const title = hasIndexedTitle ? [`${indexKey} ${turn++ % 1000}`] : []
    const values = [collection, createId(worker), Buffer.from(createBody()), ...title]
    return pool.query({ name: table, text, values })
  }
}
