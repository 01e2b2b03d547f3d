/** Holds a race of many processes for one item, and looks at what became of the item. */

import { createCaller, createVaultService, type Item } from 'cofferkit'
import { startWorker } from '../support/worker-process.js'
import { findEngine } from '../support/stores.js'
import type { PatchRequest } from './patch-process.js'
import { percentile } from './percentile.js'
import type { Report } from './run-patchers.js'
import { selectStore } from './select-store.js'

/** How the race is held. */
export interface Race {
  readonly engine: string
  readonly processes: number
  /** Of each process. */
  readonly patchers: number
  /** Of each patcher. */
  readonly patches: number
  /** Whether the store is the naive variant. */
  readonly isBroken: boolean
}

/** What was seen. */
export interface ContentionFindings {
  readonly acknowledged: number
  readonly rejected: number
  readonly unknown: number
  /** Acknowledged changes that the item does not show. */
  readonly lost: number
  readonly p50: number
  readonly p99: number
  /** The most attempts that an acknowledged change took. */
  readonly most: number
  readonly perSecond: number
}

interface Contest extends Race {
  readonly address: string
  readonly vaultId: string
  readonly itemId: string
}

const caller = createCaller('proof', '*')

/** Resolves with what was seen when all is over. */
export async function runContention(race: Race): Promise<ContentionFindings> {
  const engine = findEngine(race.engine)
  const ref = await engine.create()
  const connection = await engine.connect(ref.address)
  try {
    const service = createVaultService({ store: selectStore(connection.store, race.isBroken) })
    const contest = { ...race, address: ref.address, ...(await createItem(service, race)) }
    const { reports, seconds } = await runProcesses(contest)
    return findings(await service.getItem(caller, contest), reports, seconds)
  } finally {
    await connection.close()
    await ref.remove()
  }
}

async function createItem(
  service: ReturnType<typeof createVaultService>,
  race: Race,
): Promise<{ vaultId: string; itemId: string }> {
  const { id: vaultId } = await service.createVault(caller, { name: 'Race' })
  const fields = Array.from({ length: race.processes }, (_, index) => fieldIdsOf(race, index))
    .flat()
    .map((id) => ({ id, type: 'STRING' as const, value: '0' }))
  const draft = { category: 'LOGIN', vault: { id: vaultId }, fields } as const
  const { id: itemId } = await service.createItem(caller, { vaultId, item: draft })
  return { vaultId, itemId }
}

/** Nobody begins before everybody is connected. */
async function runProcesses(contest: Contest): Promise<{ reports: Report[]; seconds: number }> {
  const { engine, address, vaultId, itemId, isBroken } = contest
  const children = Array.from({ length: contest.processes }, () =>
    startWorker<PatchRequest, Report>(new URL('./patch-process.ts', import.meta.url)),
  )
  const askAll = (patches: number): Promise<Report[]> =>
    Promise.all(
      children.map((child, index) => {
        const fieldIds = fieldIdsOf(contest, index)
        return child.ask({ engine, address, isBroken, vaultId, itemId, fieldIds, patches })
      }),
    )
  try {
    await askAll(0)
    const start = performance.now()
    const reports = await askAll(contest.patches)
    return { reports, seconds: (performance.now() - start) / 1000 }
  } finally {
    await Promise.all(children.map((child) => child.end()))
  }
}

function fieldIdsOf({ patchers }: Race, process: number): string[] {
  return Array.from({ length: patchers }, (_, patcher) => `p${process}x${patcher}`)
}

function findings(item: Item, reports: readonly Report[], seconds: number): ContentionFindings {
  const total = (count: (report: Report) => number): number =>
    reports.reduce((sum, report) => sum + count(report), 0)
  const acknowledged = total((report) => report.acknowledged)
  const attempts = reports.flatMap((report) => report.attempts)
  return {
    acknowledged,
    rejected: total((report) => report.rejected),
    unknown: total((report) => report.unknown),
    lost: lostChanges(item, reports, acknowledged),
    p50: percentile(attempts, 50),
    p99: percentile(attempts, 99),
    most: percentile(attempts, 100),
    perSecond: Math.round(acknowledged / seconds),
  }
}

/**
 * An acknowledged change has a version of its own, and a field shows the last one that was acknowledged or a later one.
 * The greater of both counts, since one loss may show in both.
 */
function lostChanges(item: Item, reports: readonly Report[], acknowledged: number): number {
  const shown = new Map(item.fields.map(({ id, value }) => [id, Number(value)]))
  let behind = 0
  for (const { values } of reports) {
    for (const [id, value] of values) behind += Math.max(0, value - (shown.get(id) ?? 0))
  }
  return Math.max(behind, acknowledged - (item.version - 1))
}
