/** A process of the check `linearizable`: runs clients of a history on a connection of its own. */

import { type Connection, findEngine } from '../support/stores.js'
import { handleRequests } from '../support/worker-process.js'
import type { Operation } from './history.js'
import { type Plan, runClients } from './run-clients.js'

/** Request to run clients. */
export interface ClientRequest {
  readonly engine: string
  readonly address: string
  readonly plan: Plan
}

let connection: Promise<Connection> | undefined

handleRequests<ClientRequest, Operation[]>(
  async ({ engine, address, plan }) => {
    connection ??= findEngine(engine).connect(address)
    return runClients((await connection).store.records, plan)
  },
  async () => {
    await (await connection)?.close()
  },
)
