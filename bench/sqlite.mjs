/** Part 5: durable writes a second to one SQLite file, beside the raw driver's single commits. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { patchTask } from './stores/patch-task.mjs'
import { openRawSqlite } from './stores/raw-sqlite.mjs'
import { body, collection, idOf, label, rate } from './stores/rows.mjs'
import { fixed, median, medianRatio, printTable } from './table.mjs'

const count = 1500
const goals = { 'put, 1 writer': 0.8, 'put, 64 writers': 4 }

export async function benchSqlite({ builds: [{ url }], rounds = 9 }) {
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  const raw = openRawSqlite(join(folder, 'raw.db'))
  const { openSqliteStore } = await import(`${url}/sqlite.js`)
  const store = await openSqliteStore(join(folder, 'vault.db'))
  try {
    const tasks = {
      'raw driver, a commit each': [1, rawTask(raw)],
      'put, 1 writer': [1, await putTask(store)],
      'put, 64 writers': [64, await putTask(store, 64)],
      'patchItem, 1 caller': [1, await patchTask(url, store, 1)],
      'patchItem, 64 callers': [64, await patchTask(url, store, 64)],
    }
    const rates = Object.fromEntries(Object.keys(tasks).map((name) => [name, []]))
    for (let round = -1; round < rounds; round++) {
      for (const [name, [workers, task]] of Object.entries(tasks)) {
        const found = await rate(count, workers, task)
        if (round >= 0) rates[name].push(found)
      }
    }
    report(rates)
  } finally {
    raw.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function report(rates) {
  const floor = rates['raw driver, a commit each']
  const rows = Object.entries(rates).map(([name, found]) => {
    const ratio = medianRatio(found, floor)
    const goal = goals[name]
    const judged = goal ? [`>= ${fixed(goal)}`, ratio >= goal ? 'met' : 'MISSED'] : ['', '']
    return [name, fixed(median(found), 0), fixed(ratio), ...judged]
  })
  printTable('SQLite, durable writes a second', [['', 'a second', '÷ raw', 'goal', ''], ...rows])
}

function rawTask(raw) {
  raw.insert(collection, idOf(0), label, body())
  return async () => raw.update(collection, idOf(0), label, body())
}

/** Each writer changes a record of its own, again and again, and waits until it is told that it has been written. */
async function putTask({ records }, writers = 1) {
  const versions = new Map()
  return async (writer) => {
    const seen = versions.get(writer) ?? 0
    const key = { collection: `items/${writers}`, id: idOf(writer) }
    if (!(await records.put(key, { body: body(), label }, seen))) throw new Error('lost a race')
    versions.set(writer, seen + 1)
  }
}
