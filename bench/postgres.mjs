/** Part 6: patches a second on PostgreSQL, beside raw updates of the same rows through the same driver. */

import pg from 'pg'
import { patchTask } from './stores/patch-task.mjs'
import { body, collection, idOf, label, rate } from './stores/rows.mjs'
import { fixed, median, medianRatio, printTable } from './table.mjs'

const goal = 0.6
const count = 1500
const callers = [1, 8, 32]

/** On the server of `DATABASE_URL`, or on one that is started for this. */
export async function benchPostgres({ builds: [{ url }], rounds = 7 }) {
  const server = process.env.DATABASE_URL
    ? { url: process.env.DATABASE_URL, stop: async () => {} }
    : await (await import('../reliability/support/postgres-server.ts')).startPostgres()
  try {
    const rows = []
    for (const size of callers) rows.push(...(await measure(server.url, url, size, rounds)))
    const head = ['', 'a second', '÷ raw', 'goal', '']
    printTable('PostgreSQL, changes a second', [head, ...rows])
  } finally {
    await server.stop()
  }
}

async function measure(connectionString, url, size, rounds) {
  const { createPostgresStore, migratePostgres } = await import(`${url}/postgres.js`)
  const tables = { tablePrefix: `bench${size}_` }
  const pool = new pg.Pool({ connectionString, max: size })
  // A connection may still be closing when the server is stopped.
  pool.on('error', () => {})
  try {
    await migratePostgres(pool, tables)
    const tasks = {
      raw: await rawTask(pool, size),
      patchItem: await patchTask(
        url,
        createPostgresStore(pool, { ...tables, prepare: true }),
        size,
      ),
      'patchItem, unnamed statements': await patchTask(
        url,
        createPostgresStore(pool, tables),
        size,
      ),
    }
    const rates = Object.fromEntries(Object.keys(tasks).map((name) => [name, []]))
    for (let round = -1; round < rounds; round++) {
      for (const [name, task] of Object.entries(tasks)) {
        const found = await rate(count, size, task)
        if (round >= 0) rates[name].push(found)
      }
    }
    return Object.entries(rates).map(([name, found]) => {
      const ratio = medianRatio(found, rates.raw)
      const judged =
        name === 'patchItem' ? [`>= ${fixed(goal)}`, ratio >= goal ? 'met' : 'MISSED'] : ['', '']
      return [`${name}, ${size} at once`, fixed(median(found), 0), fixed(ratio), ...judged]
    })
  } finally {
    await pool.end()
  }
}

/** One prepared update a change, of a row of one's own. */
async function rawTask(pool, size) {
  const table = `bench_raw_${size}`
  await pool.query(`drop table if exists ${table}`)
  await pool.query(`create table ${table} (collection text collate "C", id text collate "C",
    version integer, label text, body bytea, primary key (collection, id))`)
  const insert = `insert into ${table} values ($1, $2, 1, $3, $4)`
  for (let index = 0; index < size; index++)
    await pool.query(insert, [collection, idOf(index), label, Buffer.from(body())])
  const text = `update ${table} set version = version + 1, body = $3 where collection = $1 and id = $2`
  return (worker) =>
    pool.query({
      name: `raw${size}`,
      text,
      values: [collection, idOf(worker), Buffer.from(body())],
    })
}
