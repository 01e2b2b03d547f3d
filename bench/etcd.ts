/** CPU of the store in etcd, beside the same requests by hand. */

import { etcdProgram, startEtcd } from '../reliability/support/etcd-server.js'
import type { BenchOptions, PartResults } from './bench-options.js'
import { loadBuild } from './load-build.js'
import { costHead, measureCosts } from './stores/measure-costs.js'
import { createRawEtcd } from './stores/raw-etcd.js'
import { createRecordPairs, workers } from './stores/record-pairs.js'

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
    const counts = { get: 1500, put: 1500, list: 300 }
    const pairs = await createRecordPairs(store, createRawEtcd(server.endpoint), counts)
    const rows = await measureCosts(pairs, rounds, workers)
    const title = 'etcd, CPU of an operation on an item’s record'
    return { tables: [{ id: 'etcd', title, rows: [costHead, ...rows] }] }
  } finally {
    await server.stop()
  }
}
