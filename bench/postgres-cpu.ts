/** CPU of the store in PostgreSQL, beside the same statements by the driver. */

import pg from 'pg'
import { withPostgres } from '../reliability/support/postgres-server.js'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { costHead, measureCosts } from './stores/measure-costs.js'
import { createRecordPairs, type RawRecords, workers } from './stores/record-pairs.js'

const tables = { tablePrefix: 'bench_cpu_' }
const counts = { get: 2000, put: 1000, list: 400 }

/** Measures the first build on the server in `DATABASE_URL`, or on one that is started. */
export async function benchPostgresCpu({
  builds: [{ url }],
  rounds = 15,
}: BenchOptions): Promise<PartResults> {
  return withPostgres(async (connectionString) => {
    const { createPostgresStore, migratePostgres } = await loadBuild(url).postgres()
    const pool = new pg.Pool({ connectionString, max: workers })
    // A connection can still be closing when the server is stopped.
    pool.on('error', () => {})
    try {
      await migratePostgres(pool, tables)
      await pool.query(`TRUNCATE ${tables.tablePrefix}records`)
      const { records } = createPostgresStore(pool, { ...tables, prepare: true })
      const pairs = await createRecordPairs(records, createRaw(pool), counts)
      const rows = await measureCosts(pairs, rounds, workers)
      const title = 'PostgreSQL by pg, CPU of an operation on an item’s record'
      return { tables: [{ id: 'postgres-cpu', title, rows: [costHead, ...rows] }] }
    } finally {
      await pool.end()
    }
  })
}

/** Prepared statements on the table of the store. */
function createRaw(pool: pg.Pool): RawRecords {
  const table = `${tables.tablePrefix}records`
  const get = `SELECT version, body FROM ${table} WHERE collection = $1 AND id = $2`
  const put = `UPDATE ${table} SET version = version + 1, index_key = $3, body = $4
    WHERE collection = $1 AND id = $2 AND version = $5`
  const list = `SELECT id, version, body FROM ${table} WHERE collection = $1 ORDER BY id LIMIT $2`
  return {
    async get(...values) {
      const { rows } = await pool.query({ name: 'raw_get', text: get, values })
      return rows[0]
    },
    async put({ collection, id, indexKey, body }, version) {
      const values = [collection, id, indexKey, body, version]
      return (await pool.query({ name: 'raw_put', text: put, values })).rowCount === 1
    },
    async list(...values) {
      return (await pool.query({ name: 'raw_list', text: list, values })).rows
    },
  }
}
