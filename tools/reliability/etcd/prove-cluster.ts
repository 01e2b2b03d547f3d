/** Runs the proof on a cluster, and prints its figures. */

import { checkProcesses, type Findings } from '../linearizable/check-store.js'
import type { EtcdAddress, EtcdDefect } from '../support/etcd-engine.js'
import { print, printTable } from '../support/table.js'
import { checkService } from './check-service.js'
import { type Cluster, startCluster } from './cluster.js'
import { createNemesis, type FaultCounts, type Nemesis } from './nemesis.js'

/** The extent of the proof. */
export interface ProofOptions {
  /** An empty folder for the data of the members. */
  readonly folder: string
  readonly histories: number
  readonly operations: number
  readonly seed: number
  /** The duration of the run of the service. */
  readonly seconds: number
}

const timeoutMs = 1000
const defects: readonly EtcdDefect[] = ['serializable reads', 'no compare']

/** Returns true if nothing was violated and every broken variant was caught. */
export async function proveCluster(options: ProofOptions): Promise<boolean> {
  const cluster = await startCluster(options.folder)
  const isLinearizable = await proveRecords(cluster, options)
  const isServiceSound = await proveService(cluster, options)
  const areCaught = await catchDefects(cluster, options)
  return isLinearizable && isServiceSound && areCaught
}

async function proveRecords(cluster: Cluster, options: ProofOptions): Promise<boolean> {
  const nemesis = createNemesis(cluster, options.seed)
  const start = performance.now()
  const findings = await runHistories(cluster, nemesis, options)
  const { violations, ...figures } = findings
  for (const violation of violations) print(violation)
  printTable([
    {
      ...figures,
      ...formatCounts(nemesis.counts),
      violations: violations.length,
      seconds: Math.round((performance.now() - start) / 1000),
    },
  ])
  print('')
  return violations.length === 0
}

async function runHistories(
  { endpoints }: Cluster,
  nemesis: Nemesis,
  { histories, operations, seed }: ProofOptions,
): Promise<Findings> {
  const address: EtcdAddress = { endpoints, timeoutMs }
  const target = { engine: 'etcd', address: JSON.stringify(address) }
  let count = 0
  return checkProcesses(target, { histories, operations, seed }, async (run) => {
    const history = await nemesis.during(run)
    if (++count % 10 === 0) print(`${count} histories, ${JSON.stringify(nemesis.counts)}`)
    return history
  })
}

async function proveService(cluster: Cluster, options: ProofOptions): Promise<boolean> {
  const nemesis = createNemesis(cluster, options.seed + 1)
  const { failures, ...figures } = await checkService(
    { endpoints: cluster.endpoints, timeoutMs },
    options.seconds * 1000,
    (work) => nemesis.during(work),
  )
  for (const failure of failures) print(failure)
  printTable([{ ...figures, ...formatCounts(nemesis.counts) }])
  print('')
  return failures.length === 0
}

/** Runs each broken store, without faults, until it is caught. */
async function catchDefects(
  { endpoints }: Cluster,
  { operations, seed }: ProofOptions,
): Promise<boolean> {
  const rows: Record<string, string>[] = []
  for (const [index, defect] of defects.entries()) {
    const address: EtcdAddress = { endpoints, timeoutMs, defect }
    const target = { engine: 'etcd', address: JSON.stringify(address) }
    const extent = { histories: 20, operations, seed: seed + 100_000 * (index + 1) }
    const { histories, violations } = await checkProcesses(target, extent)
    const isCaught = violations.length > 0
    rows.push({ 'a store with': defect, caught: isCaught ? `in history ${histories}` : 'NOT' })
  }
  printTable(rows)
  return rows.every(({ caught }) => caught !== 'NOT')
}

function formatCounts({ newLeaders, clockSkews, ...counts }: FaultCounts): Record<string, number> {
  return { ...counts, 'clock skews': clockSkews, 'new leaders': newLeaders }
}
