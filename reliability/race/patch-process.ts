/** A process of the proof `race`: runs its patchers on a connection of its own. */

import { answerQuestions } from '../support/children.js'
import { type Connection, engineOf } from '../support/stores.js'
import { type Report, runPatchers, type Share } from './run-patchers.js'
import { storeFor } from './store-for.js'

/** What the process is asked. */
export interface PatchQuestion extends Share {
  readonly engine: string
  readonly address: string
  readonly isNaive: boolean
}

let connection: Promise<Connection> | undefined

answerQuestions<PatchQuestion, Report>(
  async ({ engine, address, isNaive, ...share }) => {
    connection ??= engineOf(engine).connect(address)
    return runPatchers(storeFor((await connection).store, isNaive), share)
  },
  async () => {
    await (await connection)?.close()
  },
)
