/** Runs random histories on one store and looks for violations. */

import type { RecordStore } from 'cofferkit'
import { type Connection, findEngine } from '../support/stores.js'
import { startWorker, type WorkerProcess } from '../support/worker-process.js'
import type { ClientRequest } from './client-process.js'
import { findViolations } from './find-violations.js'
import type { Operation } from './history.js'
import { type Plan, runClients } from './run-clients.js'

/** The number and size of the histories. */
export interface Extent {
  readonly histories: number
  /** Operations of each history, of all its clients. */
  readonly operations: number
  /** Seed of the first history. Each further history has the next greater seed. */
  readonly seed: number
}

/** The findings. */
export interface Findings {
  readonly histories: number
  readonly operations: number
  /** Writes with an unknown outcome. */
  readonly unknown: number
  readonly lists: number
  /** Each with the seed of its history. */
  readonly violations: readonly string[]
}

/** Runs a history, and resolves with its operations. */
export type RunHistory = (run: () => Promise<Operation[]>) => Promise<Operation[]>

type Run = (plan: Plan) => Promise<Operation[]>

const clients = 8
const processes = 4
const ids = ['a', 'b', 'c', 'd']

/**
 * Checks a store. The clients run in several processes if the store can be shared, otherwise in
 * this one. Ends at the first violation.
 */
export async function checkStore(name: string, extent: Extent): Promise<Findings> {
  const engine = findEngine(name)
  const location = await engine.create()
  const { address } = location
  try {
    if (engine.isShared) return await checkProcesses({ engine: name, address }, extent)
    const connection = await engine.connect(address)
    return await checkHistories((plan) => runClients(connection.store.records, plan), extent)
  } finally {
    await location.remove()
  }
}

/** Checks a memory store that `breakRecords` has wrapped. All clients run in this process. */
export async function checkBrokenStore(
  breakRecords: (inner: RecordStore) => RecordStore,
  extent: Extent,
): Promise<Findings> {
  const engine = findEngine('memory')
  const location = await engine.create()
  const { store }: Connection = await engine.connect(location.address)
  const records = breakRecords(store.records)
  return checkHistories((plan) => runClients(records, plan), extent)
}

/**
 * Checks SQLite with a lock that each process has alone. It is only caught if the clients of several
 * processes change the same record at the same time.
 */
export async function checkProcessLock(extent: Extent): Promise<Findings> {
  const engine = 'sqlite'
  const { address, remove } = await findEngine(engine).create()
  try {
    return await checkProcesses({ engine, address, isLockedWithinProcess: true }, extent)
  } finally {
    await remove()
  }
}

/**
 * Checks a location with clients in several processes. Each history is run by `runHistory`, which
 * can do something else at the same time.
 */
export async function checkProcesses(
  target: Omit<ClientRequest, 'plan'>,
  extent: Extent,
  runHistory: RunHistory = (run) => run(),
): Promise<Findings> {
  const children = Array.from({ length: processes }, () =>
    startWorker<ClientRequest, Operation[]>(new URL('./client-process.ts', import.meta.url)),
  )
  try {
    const run: Run = (plan) => runHistory(() => runInProcesses(children, target, plan))
    return await checkHistories(run, extent)
  } finally {
    await Promise.all(children.map((child) => child.end()))
  }
}

async function runInProcesses(
  children: readonly WorkerProcess<ClientRequest, Operation[]>[],
  target: Omit<ClientRequest, 'plan'>,
  plan: Plan,
): Promise<Operation[]> {
  const shares = children.map((child, index) => {
    const share = { ...plan, clients: plan.clients / children.length, seed: plan.seed + index }
    return child.request({ ...target, plan: share })
  })
  return (await Promise.all(shares)).flat()
}

async function checkHistories(run: Run, extent: Extent): Promise<Findings> {
  const findings = { histories: 0, operations: 0, unknown: 0, lists: 0 }
  for (; findings.histories < extent.histories; findings.histories++) {
    const seed = extent.seed + findings.histories
    const history = await run(createPlan(seed, extent.operations))
    const violations = findViolations(history, ids).map((text) => `seed ${seed}: ${text}`)
    findings.operations += history.length
    findings.unknown += history.filter(isUnknown).length
    findings.lists += history.filter(({ kind }) => kind === 'list').length
    if (violations.length > 0) return { ...findings, histories: findings.histories + 1, violations }
  }
  return { ...findings, violations: [] }
}

/** The seeds of the processes of one history are different from those of every other history. */
function createPlan(seed: number, operations: number): Plan {
  return {
    seed: seed * 100,
    clients,
    operations: operations / clients,
    collection: `h${seed}`,
    ids,
    failingPercent: 5,
    maxTurns: seed % 6,
  }
}

function isUnknown(operation: Operation): boolean {
  return 'outcome' in operation && operation.outcome === 'unknown'
}
