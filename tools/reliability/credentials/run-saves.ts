/** Runs processes that save one credential at the same time, and counts its items afterwards. */

import { createCaller, createVaultService } from 'cofferkit'
import { createCredentials } from 'cofferkit/credentials'
import { findEngine } from '../support/stores.js'
import { startWorker } from '../support/worker-process.js'
import type { SaveReport, SaveRequest } from './save-process.js'
import { type SaveVariant, sharedKind } from './save-variant.js'

/** Options of `runSaves`. */
export interface SaveOptions {
  readonly engine: string
  /** At most ten. */
  readonly processes: number
  /** Of each process. */
  readonly saves: number
  readonly variant: SaveVariant
}

/** The findings. */
export interface SaveFindings {
  /** Items of the credential. */
  readonly items: number
  /** The version of the item of the credential; 0 without such an item. */
  readonly version: number
  /** Saved values that another process has overwritten with older ones. */
  readonly lost: number
  /** Rejections with 409. These saves were repeated. */
  readonly rejected: number
}

const caller = createCaller('checker', '*')

/** Resolves when all processes have saved. */
export async function runSaves(options: SaveOptions): Promise<SaveFindings> {
  const { engine: name, processes, saves, variant } = options
  const engine = findEngine(name)
  const location = await engine.create()
  const connection = await engine.connect(location.address)
  try {
    const service = createVaultService({ store: connection.store })
    const { id: vaultId } = await service.createVault(caller, { name: 'Customer' })
    const { address } = location
    const children = Array.from({ length: processes }, () =>
      startWorker<SaveRequest, SaveReport>(new URL('./save-process.ts', import.meta.url)),
    )
    const requestAll = (count: number): Promise<SaveReport[]> =>
      Promise.all(
        children.map((child, index) => {
          const target = { engine: name, address, variant, vaultId }
          return child.request({ ...target, field: `p${index}`, saves: count })
        }),
      )
    let reports: readonly SaveReport[]
    try {
      // No process saves before all are connected.
      await requestAll(0)
      reports = await requestAll(saves)
    } finally {
      await Promise.all(children.map((child) => child.end()))
    }
    const items = await service.listItems(caller, { vaultId, filter: 'tag eq "credential"' })
    const credentials = createCredentials(service, { shared: sharedKind })
    const [view] = await credentials.of(caller, vaultId).list()
    return {
      items: items.length,
      version: view?.version ?? 0,
      lost: reports.reduce((sum, { lost }) => sum + lost, 0),
      rejected: reports.reduce((sum, { rejected }) => sum + rejected, 0),
    }
  } finally {
    await connection.close()
    await location.remove()
  }
}
