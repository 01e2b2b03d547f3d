/** CPU of the store in MariaDB, beside the same statements by the driver. */

import mysql, { type ResultSetHeader, type RowDataPacket } from 'mysql2/promise'
import { withMysql } from '../reliability/support/mysql-server.js'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { costHead, measureCosts } from './stores/measure-costs.js'
import { createRecordPairs, type RawRecords, workers } from './stores/record-pairs.js'

const tables = { tablePrefix: 'bench_' }
const counts = { get: 2000, put: 1000, list: 400 }

/** Measures the first build on the server in `MYSQL_URL`, or on one that is started. */
export async function benchMysql({
  builds: [{ url }],
  rounds = 15,
}: BenchOptions): Promise<PartResults> {
  return withMysql(async (uri) => {
    const { createMysqlStore, migrateMysql } = await loadBuild(url).mysql()
    const pool = mysql.createPool({ uri, connectionLimit: workers })
    try {
      await migrateMysql(pool, tables)
      await pool.query(`TRUNCATE ${tables.tablePrefix}records`)
      const { records } = createMysqlStore(pool, tables)
      const pairs = await createRecordPairs(records, createRaw(pool), counts)
      const rows = await measureCosts(pairs, rounds, workers)
      const title = 'MariaDB by mysql2, CPU of an operation on an item’s record'
      return { tables: [{ id: 'mysql', title, rows: [costHead, ...rows] }] }
    } finally {
      await pool.end()
    }
  })
}

/** Prepared statements on the table of the store. */
function createRaw(pool: mysql.Pool): RawRecords {
  const table = `${tables.tablePrefix}records`
  const get = `SELECT version, \`body\` FROM ${table} WHERE collection = ? AND id = ?`
  const put = `UPDATE ${table} SET version = version + 1, index_key = ?, \`body\` = ?
    WHERE collection = ? AND id = ? AND version = ?`
  const list = `SELECT id, version, \`body\` FROM ${table}
    WHERE collection = ? ORDER BY id LIMIT ?`
  return {
    async get(collection, id) {
      const values = [Buffer.from(collection), Buffer.from(id)]
      const [[row]] = await pool.execute<RowDataPacket[]>(get, values)
      return { version: row?.['version'], body: row?.['body'] }
    },
    async put({ collection, id, indexKey, body }, version) {
      const values = [indexKey, body, collection, id].map((value) => Buffer.from(value))
      const [{ affectedRows }] = await pool.execute<ResultSetHeader>(put, [...values, version])
      return affectedRows === 1
    },
    async list(collection, limit) {
      const [rows] = await pool.execute<RowDataPacket[]>(list, [
        Buffer.from(collection),
        String(limit),
      ])
      return rows.map((row) => ({
        id: row['id'].toString(),
        version: row['version'],
        body: row['body'],
      }))
    },
  }
}
