/** A process of the proof `uploads`: sweeps a vault on a connection of its own, by a clock that is ahead. */

import { createCaller, createVaultService, isVaultError } from 'cofferkit'
import { answerQuestions } from '../support/children.js'
import { createDice } from '../support/seeded-random.js'
import { type Connection, engineOf } from '../support/stores.js'
import { storeOfSweeps, type Twin } from './broken-variants.js'
import { pausingStore } from './pausing-store.js'

/** What the process is asked: to sweep once. */
export interface SweepQuestion {
  readonly engine: string
  readonly address: string
  readonly vaultId: string
  /** Milliseconds by which its clock is ahead. */
  readonly ahead: number
  readonly twin?: Twin
}

/** How many contents were removed. */
export interface SweepReport {
  readonly removed: number
}

let connection: Promise<Connection> | undefined
const dice = createDice(process.pid)
const pauses = { longest: 20, share: 20 }

answerQuestions<SweepQuestion, SweepReport>(
  async ({ engine, address, vaultId, ahead, twin }) => {
    connection ??= engineOf(engine).connect(address)
    const store = storeOfSweeps(pausingStore((await connection).store, dice, pauses), twin)
    const service = createVaultService({ store, now: () => new Date(Date.now() + ahead) })
    try {
      return { removed: await service.collectGarbage(createCaller('sweeper', '*'), { vaultId }) }
    } catch (error) {
      // Others always changed an item first: it is swept the next time.
      if (isVaultError(error) && error.status === 409) return { removed: 0 }
      throw error
    }
  },
  async () => {
    await (await connection)?.close()
  },
)
