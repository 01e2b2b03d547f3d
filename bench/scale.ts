/** Part 7: reading and changing one item among a thousand and among a million, in SQLite. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { VaultStore } from 'cofferkit'
import type { BenchOptions } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { collection, createBody, createId, indexKey } from './stores/rows.js'
import { fixed, median, printTable, verdict } from './table.js'

interface Location {
  readonly size: number
  readonly database: DatabaseSync
  readonly store: VaultStore
  readonly versions: Map<string, number>
  /** Microseconds, the median of each round. */
  readonly times: Readonly<Record<OperationName, number[]>>
}

type OperationName = keyof typeof operations

const sizes = [1000, 1_000_000]
const operations = { get: { goal: 2.2, samples: 20_000 }, put: { goal: 1.25, samples: 2000 } }
const operationNames: readonly OperationName[] = ['get', 'put']

/** Measures the first build. */
export async function benchScale({ builds: [{ url }] }: BenchOptions): Promise<void> {
  const { createSqliteStore } = await loadBuild(url).sqlite()
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  try {
    const locations = sizes.map((size): Location => {
      const database = new DatabaseSync(join(folder, `${size}.db`))
      const store = createSqliteStore(database)
      fill(database, size)
      return { size, database, store, versions: new Map(), times: { get: [], put: [] } }
    })
    for (let round = -1; round < 5; round++) {
      for (const location of locations) {
        for (const operation of operationNames) {
          const time = await measure(location, operation)
          if (round >= 0) location.times[operation].push(time)
        }
      }
    }
    for (const { database } of locations) database.close()
    report(locations)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Inserts by the driver in large transactions. The store would sync each write. */
function fill(database: DatabaseSync, size: number): void {
  const insert = database.prepare(
    'insert into cofferkit_records (collection, id, version, index_key, body) values (?, ?, 1, ?, ?)',
  )
  const body = createBody()
  database.exec('begin')
  for (let index = 0; index < size; index++) {
    insert.run(collection, createId(index), `${indexKey} ${index}`, body)
    if (index % 50_000 === 49_999) database.exec('commit; begin')
  }
  database.exec('commit')
  database.exec('pragma wal_checkpoint(truncate)')
}

/** The median time of one operation on a random item, in microseconds. */
async function measure(
  { size, store: { records }, versions }: Location,
  operation: OperationName,
): Promise<number> {
  const times: number[] = []
  const body = createBody()
  for (let index = 0; index < operations[operation].samples; index++) {
    const id = createId(Math.floor(Math.random() * size))
    const key = { collection, id }
    const version = versions.get(id) ?? 1
    const start = process.hrtime.bigint()
    if (operation === 'get') await records.get(key)
    else if (await records.put(key, { body, indexKey }, version)) versions.set(id, version + 1)
    times.push(Number(process.hrtime.bigint() - start) / 1000)
  }
  return median(times)
}

function report(locations: readonly Location[]): void {
  const rows = operationNames.map((operation) => {
    const medians = locations.map(({ times }) => median(times[operation]))
    const [few = Number.NaN, many = Number.NaN] = medians
    const { goal } = operations[operation]
    const ratio = many / few
    const cells = medians.map((figure) => fixed(figure, 1))
    return [operation, ...cells, fixed(ratio), `<= ${fixed(goal)}`, verdict(ratio, goal)]
  })
  const counts = sizes.map((size) => `${size.toLocaleString('en')} items`)
  printTable('SQLite, median µs of one operation', [['', ...counts, 'ratio', 'goal', ''], ...rows])
}
