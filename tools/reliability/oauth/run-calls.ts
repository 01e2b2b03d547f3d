/** Runs processes that call an API with the tokens of one grant. */

import { findEngine } from '../support/stores.js'
import { startWorker } from '../support/worker-process.js'
import type { BrokenVariant } from './broken-variants.js'
import type { CallReport, CallRequest } from './call-process.js'
import { openItems, openTable, type PlaceKind } from './grant-place.js'
import { openTableOf } from './grant-table.js'
import { createProvider } from './provider.js'
import { serveProvider } from './provider-server.js'

/** A run of processes. */
export interface CallRun {
  readonly processes: number
  /** Of all processes. */
  readonly calls: number
  /** The clock of the first process is this much ahead; 0 if absent. */
  readonly aheadMs?: number
  readonly isEdited?: boolean
  readonly variant?: BrokenVariant
}

/** The findings of a run. */
export interface CallFindings {
  readonly calls: number
  readonly worked: number
  readonly refreshes: number
  /** The most refreshes that the elapsed time allows. */
  readonly expiries: number
  /** Refresh tokens that the provider has received twice. */
  readonly 'used twice': number
  readonly failures: readonly string[]
}

/** Processes on one store. */
export interface CallProcesses {
  run(run: CallRun): Promise<CallFindings>
  end(): Promise<void>
}

/** A token is refreshed after half of this time, and accepted for much longer. */
const expiresInSeconds = 1
const acceptedMs = 600_000
const maxDelayMs = 80
/**
 * The first process, whose clock can be ahead, looks at leases that others hold. Every other one
 * looks at leases that have been released since it has read the item.
 */
const lookDelaysMs = [30, 200, 0, 200]

/** Starts processes on an empty store, with grants in items of it or in a table beside it. */
export async function startCallProcesses(
  name: string,
  place: PlaceKind,
  count: number,
): Promise<CallProcesses> {
  const engine = findEngine(name)
  const location = await engine.create()
  const connection = await engine.connect(location.address)
  const table = place === 'table' ? await openTableOf(name, location.address) : undefined
  const { store } = connection
  const grants = table === undefined ? openItems(store) : await openTable(table, store)
  let grantCount = 0
  const workers = Array.from({ length: count }, () =>
    startWorker<CallRequest, CallReport>(new URL('./call-process.ts', import.meta.url)),
  )
  return {
    async run({ processes, calls, aheadMs = 0, isEdited = false, variant }) {
      const provider = createProvider({ expiresInSeconds, acceptedMs })
      const server = await serveProvider(provider, maxDelayMs)
      // Its access token has expired.
      const tokens = { ...provider.connect(), expiresInSeconds: 0 }
      const ref = await grants.save(`grant ${grantCount++}`, tokens)
      const common = { ref, place, engine: name, address: location.address, url: server.url }
      const requestAll = (count: number) =>
        Promise.all(
          workers.slice(0, processes).map((worker, index) =>
            worker.request({
              ...{ ...common, isEdited, variant },
              calls: count,
              aheadMs: index === 0 ? aheadMs : 0,
              lookDelayMs: lookDelaysMs[index % lookDelaysMs.length] ?? 0,
            }),
          ),
        )
      try {
        await requestAll(0)
        const start = performance.now()
        const reports = await requestAll(calls / processes)
        const elapsedMs = performance.now() - start
        const { refreshes, reuses } = provider.counts
        return {
          calls,
          worked: reports.reduce((sum, { worked }) => sum + worked, 0),
          refreshes,
          expiries: 1 + Math.floor(elapsedMs / (expiresInSeconds * 500)),
          'used twice': reuses,
          failures: reports.flatMap(({ failures }) => failures),
        }
      } finally {
        await server.close()
      }
    },
    async end() {
      await Promise.all(workers.map((worker) => worker.end()))
      await table?.close()
      await connection.close()
      await location.remove()
    },
  }
}
