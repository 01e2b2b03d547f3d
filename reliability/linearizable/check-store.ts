/** Runs random histories on one store and looks for violations. */

import type { RecordStore } from 'cofferkit'
import { type WorkerProcess, startWorker } from '../support/worker-process.js'
import { type Connection, findEngine } from '../support/stores.js'
import type { ClientRequest } from './client-process.js'
import { findViolations } from './find-violations.js'
import type { Operation } from './history.js'
import { type Plan, runClients } from './run-clients.js'

/** How much is run. */
export interface Extent {
  readonly histories: number
  /** Of each history, by all its clients. */
  readonly operations: number
  /** The first history's; the next one's is one greater. */
  readonly seed: number
}

/** What was seen. */
export interface Findings {
  readonly histories: number
  readonly operations: number
  /** Writes whose outcome nobody was told. */
  readonly unknown: number
  readonly lists: number
  /** Each with the seed of its history. */
  readonly violations: readonly string[]
}

type Run = (plan: Plan) => Promise<Operation[]>

const clients = 8
const processes = 4
const ids = ['a', 'b', 'c', 'd']

/** Clients in several processes where the store can be shared, all in this one otherwise. Ends at the first violation. */
export async function checkStore(name: string, extent: Extent): Promise<Findings> {
  const engine = findEngine(name)
  const ref = await engine.create()
  const { address } = ref
  try {
    if (engine.isShared) return await checkInProcesses({ engine: name, address }, extent)
    const connection = await engine.connect(address)
    return await checkHistories((plan) => runClients(connection.store.records, plan), extent)
  } finally {
    await ref.remove()
  }
}

/** The same with all clients in this process, on a store that `breakRecords` was put around. */
export async function checkBrokenStore(
  breakRecords: (inner: RecordStore) => RecordStore,
  extent: Extent,
): Promise<Findings> {
  const engine = findEngine('memory')
  const ref = await engine.create()
  const { store }: Connection = await engine.connect(ref.address)
  const records = breakRecords(store.records)
  return checkHistories((plan) => runClients(records, plan), extent)
}

async function checkInProcesses(
  where: Omit<ClientRequest, 'plan'>,
  extent: Extent,
): Promise<Findings> {
  const children = Array.from({ length: processes }, () =>
    startWorker<ClientRequest, Operation[]>(new URL('./client-process.ts', import.meta.url)),
  )
  try {
    return await checkHistories((plan) => runInProcesses(children, where, plan), extent)
  } finally {
    await Promise.all(children.map((child) => child.end()))
  }
}

async function runInProcesses(
  children: readonly WorkerProcess<ClientRequest, Operation[]>[],
  where: Omit<ClientRequest, 'plan'>,
  plan: Plan,
): Promise<Operation[]> {
  const shares = children.map((child, index) => {
    const share = { ...plan, clients: plan.clients / children.length, seed: plan.seed + index }
    return child.ask({ ...where, plan: share })
  })
  return (await Promise.all(shares)).flat()
}

async function checkHistories(run: Run, extent: Extent): Promise<Findings> {
  const findings = { histories: 0, operations: 0, unknown: 0, lists: 0 }
  for (; findings.histories < extent.histories; findings.histories++) {
    const seed = extent.seed + findings.histories
    const history = await run(planOf(seed, extent.operations))
    const violations = findViolations(history, ids).map((words) => `seed ${seed}: ${words}`)
    findings.operations += history.length
    findings.unknown += history.filter(isUnknown).length
    findings.lists += history.filter(({ kind }) => kind === 'list').length
    if (violations.length > 0) return { ...findings, histories: findings.histories + 1, violations }
  }
  return { ...findings, violations: [] }
}

/** Seeds of a history's processes are apart from those of other histories. */
function planOf(seed: number, operations: number): Plan {
  return {
    seed: seed * 100,
    clients,
    operations: operations / clients,
    collection: `h${seed}`,
    ids,
    failing: 5,
    turns: seed % 6,
  }
}

function isUnknown(operation: Operation): boolean {
  return 'outcome' in operation && operation.outcome === 'unknown'
}
