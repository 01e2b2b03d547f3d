/** CPU of the store's operations on MariaDB, beside the same statements by the driver. */

import mysql, { type RowDataPacket } from 'mysql2/promise'
import { withMysql } from '../reliability/support/mysql-server.js'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { median, medianRatio } from './statistics.js'
import { collection, createBody, createId, indexKey } from './stores/rows.js'
import { fixed, verdict } from './table.js'

/** An operation, by the store and by hand. Both do the same number of statements. */
interface Operation {
  readonly name: string
  store(turn: number): Promise<unknown>
  raw(turn: number): Promise<unknown>
}

const count = 1000
const records = 200
const goal = 1.3
const prefix = 'bench_'

/** Measures the first build on the server in `MYSQL_URL`, or on one that is started. */
export async function benchMysql({
  builds: [{ url }],
  rounds = 15,
}: BenchOptions): Promise<PartResults> {
  return withMysql(async (uri) => {
    const pool = mysql.createPool({ uri, connectionLimit: 1 })
    try {
      const rows: string[][] = []
      for (const operation of await createOperations(url, pool))
        rows.push(await measure(operation, rounds))
      const head = ['', 'store, CPU µs', 'mysql2, CPU µs', 'store ÷ mysql2', 'goal', '']
      const title = 'MariaDB, CPU of this process for each operation'
      return { tables: [{ id: 'mysql', title, rows: [head, ...rows] }] }
    } finally {
      await pool.end()
    }
  })
}

async function measure({ name, store, raw }: Operation, rounds: number): Promise<string[]> {
  const costs: { store: number[]; raw: number[] } = { store: [], raw: [] }
  for (let round = -2; round < rounds; round++) {
    const [first, second] = [await measureCpu(store), await measureCpu(raw)]
    if (round < 0) continue
    costs.store.push(first)
    costs.raw.push(second)
  }
  const ratio = medianRatio(costs.store, costs.raw)
  const figures = [median(costs.store), median(costs.raw)].map((figure) => fixed(figure, 1))
  return [name, ...figures, fixed(ratio), `<= ${fixed(goal)}`, verdict(ratio, goal)]
}

/** Resolves with the CPU µs of one run, on average. */
async function measureCpu(run: (turn: number) => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage()
  for (let turn = 0; turn < count; turn++) await run(turn)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / count
}

async function createOperations(url: string, pool: mysql.Pool): Promise<readonly Operation[]> {
  const { createMysqlStore, migrateMysql } = await loadBuild(url).mysql()
  const tables = { tablePrefix: prefix }
  await migrateMysql(pool, tables)
  const store = createMysqlStore(pool, tables).records
  for (let index = 0; index < records; index++)
    await store.put({ collection, id: createId(index) }, { body: createBody(), indexKey }, 0)
  const idOf = (turn: number): string => createId(turn % records)
  const list = { after: createId(20), limit: 50 }
  let [stored, raw] = [1, 1]
  const keyOf = (id: string): Buffer[] => [Buffer.from(collection), Buffer.from(id)]
  return [
    {
      name: 'get',
      store: (turn) => store.get({ collection, id: idOf(turn) }),
      async raw(turn) {
        const text = `SELECT version, \`body\` FROM ${prefix}records WHERE collection = ? AND id = ?`
        const [[row]] = await pool.execute<RowDataPacket[]>(text, keyOf(idOf(turn)))
        return { version: row?.['version'], body: row?.['body'] }
      },
    },
    {
      name: 'put',
      store: () => {
        const key = { collection, id: createId(0) }
        return store.put(key, { body: createBody(), indexKey }, stored++)
      },
      raw: () => {
        const text = `UPDATE ${prefix}records SET version = version + 1, index_key = ?, \`body\` = ?
          WHERE collection = ? AND id = ? AND version = ?`
        const values = [Buffer.from(indexKey), Buffer.from(createBody())]
        return pool.execute(text, [...values, ...keyOf(createId(1)), raw++])
      },
    },
    {
      name: 'list of 50',
      store: () => store.list(collection, list),
      async raw() {
        const text = `SELECT id, version, \`body\` FROM ${prefix}records
          WHERE collection = ? AND id > ? ORDER BY id LIMIT ?`
        const values = [...keyOf(list.after), String(list.limit)]
        const [rows] = await pool.execute<RowDataPacket[]>(text, values)
        return rows.map((row) => ({
          id: row['id'].toString(),
          version: row['version'],
          body: row['body'],
        }))
      },
    },
  ]
}
