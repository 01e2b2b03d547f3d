/** Durable writes per second to one SQLite file, beside single commits of the raw driver. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { VaultStore } from 'cofferkit'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { median, medianRatio } from './statistics.js'
import { createPatchTask } from './stores/patch-task.js'
import { openRawSqlite, type RawSqlite } from './stores/raw-sqlite.js'
import {
  collection,
  createBody,
  createId,
  indexKey,
  measureRate,
  type Task,
} from './stores/rows.js'
import { fixed, lowerVerdict, type Table } from './table.js'

interface Contender {
  readonly name: string
  readonly workers: number
  readonly task: Task
  readonly goal?: number
  readonly rates: number[]
}

const count = 1500

/** Measures the first build. */
export async function benchSqlite({
  builds: [{ url }],
  rounds = 9,
}: BenchOptions): Promise<PartResults> {
  const folder = await mkdtemp(join(tmpdir(), 'cofferkit-bench-'))
  const raw = openRawSqlite(join(folder, 'raw.db'))
  const build = loadBuild(url)
  const { openSqliteStore } = await build.sqlite()
  const store = await openSqliteStore(join(folder, 'vault.db'))
  try {
    const baseline: Contender = {
      name: 'raw driver, a commit each',
      workers: 1,
      task: createRawTask(raw),
      rates: [],
    }
    const measured: readonly Contender[] = [
      { name: 'put, 1 writer', workers: 1, task: createPutTask(store, 1), goal: 0.8, rates: [] },
      { name: 'put, 64 writers', workers: 64, task: createPutTask(store, 64), goal: 4, rates: [] },
      {
        name: 'patchItem, 1 caller',
        workers: 1,
        task: await createPatchTask(build, store, 1),
        rates: [],
      },
      {
        name: 'patchItem, 64 callers',
        workers: 64,
        task: await createPatchTask(build, store, 64),
        rates: [],
      },
    ]
    for (let round = -1; round < rounds; round++) {
      for (const { workers, task, rates } of [baseline, ...measured]) {
        const rate = await measureRate(count, workers, task)
        if (round >= 0) rates.push(rate)
      }
    }
    return { tables: [createTable(baseline, measured)] }
  } finally {
    raw.close()
    await store.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function createTable(baseline: Contender, measured: readonly Contender[]): Table {
  const rows = [baseline, ...measured].map(({ name, rates, goal }) => {
    const ratio = medianRatio(rates, baseline.rates)
    const cells = goal === undefined ? [] : [`>= ${fixed(goal)}`, lowerVerdict(ratio, goal)]
    return [name, fixed(median(rates), 0), fixed(ratio), ...cells]
  })
  const head = ['', 'per second', '÷ raw', 'goal', '']
  return { id: 'sqlite', title: 'SQLite, durable writes per second', rows: [head, ...rows] }
}

function createRawTask(raw: RawSqlite): Task {
  const key = { collection, id: createId(0), indexKey }
  raw.insert({ ...key, body: createBody() })
  return () => raw.update({ ...key, body: createBody() })
}

/** Each writer changes a record of its own, and waits until the change is acknowledged. */
function createPutTask({ records }: VaultStore, writers: number): Task {
  const versions = new Map<number, number>()
  return async (writer) => {
    const version = versions.get(writer) ?? 0
    const key = { collection: `items/${writers}`, id: createId(writer) }
    if (!(await records.put(key, { body: createBody(), indexKey }, version)))
      throw new Error('a put was rejected')
    versions.set(writer, version + 1)
  }
}
