/** Part 7: reading and changing one item among a thousand and among a million, in SQLite. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { body, collection, idOf, label } from './stores/rows.mjs'
import { fixed, median, printTable, verdict } from './table.mjs'

const sizes = [1000, 1_000_000]
const goals = { get: 2.2, put: 1.25 }
const samples = { get: 20_000, put: 2000 }

export async function benchScale({ builds: [{ url }] }) {
  const { createSqliteStore } = await import(`${url}/sqlite.js`)
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  try {
    const places = sizes.map((size) => {
      const database = new DatabaseSync(join(folder, `${size}.db`))
      const store = createSqliteStore(database)
      fill(database, size)
      return { size, database, store, versions: new Map() }
    })
    const times = { get: sizes.map(() => []), put: sizes.map(() => []) }
    for (let round = -1; round < 5; round++) {
      for (const [index, place] of places.entries()) {
        for (const operation of ['get', 'put']) {
          const found = await p50(place, operation)
          if (round >= 0) times[operation][index].push(found)
        }
      }
    }
    for (const { database } of places) database.close()
    report(times)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** By the driver in large transactions: through the store each write would be synced. */
function fill(database, size) {
  const insert = database.prepare(
    'insert into cofferkit_records (collection, id, version, index_key, body) values (?, ?, 1, ?, ?)',
  )
  const bytes = body()
  database.exec('begin')
  for (let index = 0; index < size; index++) {
    insert.run(collection, idOf(index), `${label} ${index}`, bytes)
    if (index % 50_000 === 49_999) database.exec('commit; begin')
  }
  database.exec('commit')
  database.exec('pragma wal_checkpoint(truncate)')
}

/** The median time of one operation on a random item, in microseconds. */
async function p50({ size, store: { records }, versions }, operation) {
  const times = []
  const bytes = body()
  for (let index = 0; index < samples[operation]; index++) {
    const id = idOf(Math.floor(Math.random() * size))
    const key = { collection, id }
    const seen = versions.get(id) ?? 1
    const began = process.hrtime.bigint()
    if (operation === 'get') await records.get(key)
    else if (await records.put(key, { body: bytes, label }, seen)) versions.set(id, seen + 1)
    times.push(Number(process.hrtime.bigint() - began) / 1000)
  }
  return median(times)
}

function report(times) {
  const rows = Object.entries(times).map(([operation, [few, many]]) => {
    const ratio = median(many) / median(few)
    const goal = goals[operation]
    const cells = [few, many].map((found) => fixed(median(found), 1))
    return [operation, ...cells, fixed(ratio), `<= ${fixed(goal)}`, verdict(ratio, goal)]
  })
  const head = [
    '',
    ...sizes.map((size) => `${size.toLocaleString('en')} items`),
    'ratio',
    'goal',
    '',
  ]
  printTable('SQLite, median µs of one operation', [head, ...rows])
}
