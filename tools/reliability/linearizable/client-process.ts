/** A process of the check `linearizable`: runs clients of a history on a connection of its own. */

import { lockWithinProcess } from '../support/broken-stores.js'
import { type Connection, findEngine } from '../support/stores.js'
import { handleRequests } from '../support/worker-process.js'
import type { Operation } from './history.js'
import { type Plan, runClients } from './run-clients.js'

/** Request to run clients. */
export interface ClientRequest {
  readonly engine: string
  readonly address: string
  readonly plan: Plan
  /** True for the negative control, a store that is only locked within this process. */
  readonly isLockedWithinProcess?: boolean
}

let connection: Promise<Connection> | undefined

handleRequests<ClientRequest, Operation[]>(
  async ({ engine, address, plan, isLockedWithinProcess = false }) => {
    connection ??= findEngine(engine).connect(address)
    const { records } = (await connection).store
    return runClients(isLockedWithinProcess ? lockWithinProcess(records) : records, plan)
  },
  async () => {
    await (await connection)?.close()
  },
)
