/** Runs many processes that change one item, and checks the item afterwards. */

import { createCaller, createVaultService, type Item } from 'cofferkit'
import { findEngine } from '../support/stores.js'
import { startWorker } from '../support/worker-process.js'
import type { PatchRequest } from './patch-process.js'
import { percentile } from './percentile.js'
import type { Report } from './run-patchers.js'
import { selectStore } from './select-store.js'

/** Options of `runContention`. */
export interface ContentionOptions {
  readonly engine: string
  readonly processes: number
  /** Of each process. */
  readonly patchers: number
  /** Of each patcher. */
  readonly patches: number
  /** True for the negative control, a last-write-wins store. */
  readonly isBroken: boolean
}

/** The findings. */
export interface ContentionFindings {
  readonly acknowledged: number
  readonly rejected: number
  readonly unknown: number
  /** Acknowledged changes that are missing in the item. */
  readonly lost: number
  /** The median number of attempts of an acknowledged change. */
  readonly p50: number
  readonly p99: number
  /** The most attempts of an acknowledged change. */
  readonly most: number
  readonly perSecond: number
}

interface Target extends ContentionOptions {
  readonly address: string
  readonly vaultId: string
  readonly itemId: string
}

const caller = createCaller('checker', '*')

/** Resolves when all changes have been made. */
export async function runContention(options: ContentionOptions): Promise<ContentionFindings> {
  const engine = findEngine(options.engine)
  const location = await engine.create()
  const connection = await engine.connect(location.address)
  try {
    const service = createVaultService({ store: selectStore(connection.store, options.isBroken) })
    const target = {
      ...options,
      address: location.address,
      ...(await createItem(service, options)),
    }
    const { reports, seconds } = await runProcesses(target)
    return summarize(await service.getItem(caller, target), reports, seconds)
  } finally {
    await connection.close()
    await location.remove()
  }
}

async function createItem(
  service: ReturnType<typeof createVaultService>,
  options: ContentionOptions,
): Promise<{ vaultId: string; itemId: string }> {
  const { id: vaultId } = await service.createVault(caller, { name: 'Race' })
  const fields = Array.from({ length: options.processes }, (_, index) =>
    createFieldIds(options, index),
  )
    .flat()
    .map((id) => ({ id, type: 'STRING' as const, value: '0' }))
  const draft = { category: 'LOGIN', vault: { id: vaultId }, fields } as const
  const { id: itemId } = await service.createItem(caller, { vaultId, item: draft })
  return { vaultId, itemId }
}

/** No process starts before all are connected. */
async function runProcesses(target: Target): Promise<{ reports: Report[]; seconds: number }> {
  const { engine, address, vaultId, itemId, isBroken } = target
  const children = Array.from({ length: target.processes }, () =>
    startWorker<PatchRequest, Report>(new URL('./patch-process.ts', import.meta.url)),
  )
  const requestAll = (patches: number): Promise<Report[]> =>
    Promise.all(
      children.map((child, index) => {
        const fieldIds = createFieldIds(target, index)
        return child.request({ engine, address, isBroken, vaultId, itemId, fieldIds, patches })
      }),
    )
  try {
    await requestAll(0)
    const start = performance.now()
    const reports = await requestAll(target.patches)
    return { reports, seconds: (performance.now() - start) / 1000 }
  } finally {
    await Promise.all(children.map((child) => child.end()))
  }
}

function createFieldIds({ patchers }: ContentionOptions, process: number): string[] {
  return Array.from({ length: patchers }, (_, patcher) => `p${process}x${patcher}`)
}

function summarize(item: Item, reports: readonly Report[], seconds: number): ContentionFindings {
  const total = (count: (report: Report) => number): number =>
    reports.reduce((sum, report) => sum + count(report), 0)
  const acknowledged = total((report) => report.acknowledged)
  const attempts = reports.flatMap((report) => report.attempts)
  return {
    acknowledged,
    rejected: total((report) => report.rejected),
    unknown: total((report) => report.unknown),
    lost: countLost(item, reports, acknowledged),
    p50: percentile(attempts, 50),
    p99: percentile(attempts, 99),
    most: percentile(attempts, 100),
    perSecond: Math.round(acknowledged / seconds),
  }
}

/**
 * Counts lost changes in two ways: by the versions of the item, since each acknowledged change has
 * its own, and by the values of its fields. Returns the greater count, because one loss can appear
 * in both.
 */
function countLost(item: Item, reports: readonly Report[], acknowledged: number): number {
  const shown = new Map(item.fields.map(({ id, value }) => [id, Number(value)]))
  let missing = 0
  for (const { values } of reports) {
    for (const [id, value] of values) missing += Math.max(0, value - (shown.get(id) ?? 0))
  }
  return Math.max(missing, acknowledged - (item.version - 1))
}
