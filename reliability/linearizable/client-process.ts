/** A process of the proof `linearizable`: runs the clients of a history on a connection of its own. */

import { answerQuestions } from '../support/children.js'
import { type Connection, engineOf } from '../support/stores.js'
import type { Operation } from './history.js'
import { type Plan, runClients } from './run-clients.js'

/** What the process is asked. */
export interface ClientQuestion {
  readonly engine: string
  readonly address: string
  readonly plan: Plan
}

let connection: Promise<Connection> | undefined

answerQuestions<ClientQuestion, Operation[]>(
  async ({ engine, address, plan }) => {
    connection ??= engineOf(engine).connect(address)
    return runClients((await connection).store.records, plan)
  },
  async () => {
    await (await connection)?.close()
  },
)
