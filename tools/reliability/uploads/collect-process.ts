/**
 * A process of the check `uploads`: collects the garbage of a vault on a connection of its own,
 * with a clock that is ahead.
 */

import { createCaller, createVaultService, isVaultError } from 'cofferkit'
import { createSeededRandom } from '../support/seeded-random.js'
import { type Connection, findEngine } from '../support/stores.js'
import { handleRequests } from '../support/worker-process.js'
import { type BrokenVariant, wrapCollectorStore } from './broken-variants.js'
import { createPausedStore } from './paused-store.js'

/** Request to collect garbage once. */
export interface CollectRequest {
  readonly engine: string
  readonly address: string
  readonly vaultId: string
  /** Milliseconds by which the clock is ahead. */
  readonly aheadMs: number
  readonly variant?: BrokenVariant
}

/** Number of removed blobs. */
export interface CollectReport {
  readonly removed: number
}

let connection: Promise<Connection> | undefined
const random = createSeededRandom(process.pid)
const pauses = { maxMs: 20, percent: 20 }

handleRequests<CollectRequest, CollectReport>(
  async ({ engine, address, vaultId, aheadMs, variant }) => {
    connection ??= findEngine(engine).connect(address)
    const store = createPausedStore((await connection).store, random, pauses)
    const service = createVaultService({
      store: wrapCollectorStore(store, variant),
      now: () => new Date(Date.now() + aheadMs),
    })
    try {
      return {
        removed: await service.collectGarbage(createCaller({ id: 'collector', vaults: '*' }), {
          vaultId,
        }),
      }
    } catch (error) {
      // Too many concurrent changes of an item: its garbage is collected the next time.
      if (isVaultError(error) && error.status === 409) return { removed: 0 }
      throw error
    }
  },
  async () => {
    await (await connection)?.close()
  },
)
