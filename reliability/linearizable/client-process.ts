/** A process of the proof `linearizable`: runs the clients of a history on a connection of its own. */

import { handleRequests } from '../support/worker-process.js'
import { type Connection, findEngine } from '../support/stores.js'
import type { Operation } from './history.js'
import { type Plan, runClients } from './run-clients.js'

/** What the process is asked. */
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
