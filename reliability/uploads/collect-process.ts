/** A process of the proof `uploads`: sweeps a vault on a connection of its own, by a clock that is ahead. */

import { createCaller, createVaultService, isVaultError } from 'cofferkit'
import { handleRequests } from '../support/worker-process.js'
import { createSeededRandom } from '../support/seeded-random.js'
import { type Connection, findEngine } from '../support/stores.js'
import { selectCollectorStore, type BrokenVariant } from './broken-variants.js'
import { createPausedStore } from './paused-store.js'

/** What the process is asked: to collect once. */
export interface CollectRequest {
  readonly engine: string
  readonly address: string
  readonly vaultId: string
  /** Milliseconds by which its clock is ahead. */
  readonly ahead: number
  readonly variant?: BrokenVariant
}

/** How many contents were removed. */
export interface CollectReport {
  readonly removed: number
}

let connection: Promise<Connection> | undefined
const random = createSeededRandom(process.pid)
const pauses = { longest: 20, share: 20 }

handleRequests<CollectRequest, CollectReport>(
  async ({ engine, address, vaultId, ahead, variant }) => {
    connection ??= findEngine(engine).connect(address)
    const store = selectCollectorStore(createPausedStore((await connection).store, random, pauses), variant)
    const service = createVaultService({ store, now: () => new Date(Date.now() + ahead) })
    try {
      return { removed: await service.collectGarbage(createCaller('collector', '*'), { vaultId }) }
    } catch (error) {
      // Others always changed an item first: it is collected the next time.
      if (isVaultError(error) && error.status === 409) return { removed: 0 }
      throw error
    }
  },
  async () => {
    await (await connection)?.close()
  },
)
