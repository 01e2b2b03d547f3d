/** CPU of the store in etcd, beside the same requests by hand. */

import { etcdProgram, startEtcd } from '../reliability/support/etcd-server.js'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { median, medianRatio } from './statistics.js'
import { createRawEtcd } from './stores/raw-etcd.js'
import {
  collection,
  createBody,
  createId,
  indexKey,
  measureRate,
  type Task,
} from './stores/rows.js'
import { fixed, verdict } from './table.js'

interface Contender {
  readonly store: Task
  readonly raw: Task
}

const count = 1500
const workers = 8
const records = 64
const goal = 1.3
const page = { limit: 50, maxBytes: 2_097_152 }

/** Measures the first build on a server that is started. Without etcd there is no table. */
export async function benchEtcd({
  builds: [{ url }],
  rounds = 7,
}: BenchOptions): Promise<PartResults> {
  if (etcdProgram() === undefined) return { tables: [] }
  const server = await startEtcd()
  try {
    const { createEtcdStore } = await loadBuild(url).etcd()
    const store = createEtcdStore({ endpoints: [server.endpoint] }).records
    const raw = createRawEtcd(server.endpoint)
    for (let index = 0; index < records; index++) {
      const key = { collection, id: createId(index) }
      await store.put(key, { body: createBody(), indexKey }, 0)
    }
    const versions = Array.from({ length: workers }, () => 1)
    const nextVersion = (worker: number): number => {
      const version = versions[worker] ?? 0
      versions[worker] = version + 1
      return version
    }
    const idOf = (worker: number): string => createId(worker)
    const contenders: Readonly<Record<string, Contender>> = {
      get: {
        store: (worker) => store.get({ collection, id: idOf(worker) }),
        raw: (worker) => raw.get(collection, idOf(worker)),
      },
      put: {
        store: (worker) =>
          assertDone(
            store.put(
              { collection, id: idOf(worker) },
              { body: createBody(), indexKey },
              nextVersion(worker),
            ),
          ),
        raw: (worker) =>
          assertDone(
            raw.put(
              { collection, id: idOf(worker), indexKey, body: createBody() },
              nextVersion(worker),
            ),
          ),
      },
      'list of 50': {
        store: () => store.list(collection, page),
        raw: () => raw.list(collection, page.limit),
      },
    }
    const rows: string[][] = []
    for (const [name, contender] of Object.entries(contenders))
      rows.push(await measure(name, contender, rounds))
    const head = ['', 'CPU µs', 'by hand', '÷ by hand', 'goal', '']
    const title = 'etcd, CPU of an operation on an item’s record'
    return { tables: [{ id: 'etcd', title, rows: [head, ...rows] }] }
  } finally {
    await server.stop()
  }
}

async function measure(name: string, { store, raw }: Contender, rounds: number): Promise<string[]> {
  const costs: Record<'store' | 'raw', number[]> = { store: [], raw: [] }
  const tasks = { store, raw }
  for (let round = -2; round < rounds; round++) {
    for (const kind of ['store', 'raw'] as const) {
      const before = process.cpuUsage()
      await measureRate(name === 'list of 50' ? count / 5 : count, workers, tasks[kind])
      const { user, system } = process.cpuUsage(before)
      const operations = name === 'list of 50' ? count / 5 : count
      if (round >= 0) costs[kind].push((user + system) / operations)
    }
  }
  const ratio = medianRatio(costs.store, costs.raw)
  return [
    name,
    fixed(median(costs.store), 0),
    fixed(median(costs.raw), 0),
    fixed(ratio),
    `<= ${fixed(goal)}`,
    verdict(ratio, goal),
  ]
}

async function assertDone(done: Promise<boolean>): Promise<void> {
  if (!(await done)) throw new Error('the put was rejected')
}
