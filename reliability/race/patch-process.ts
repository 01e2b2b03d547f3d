/** A process of the proof `race`: runs its patchers on a connection of its own. */

import { handleRequests } from '../support/worker-process.js'
import { type Connection, findEngine } from '../support/stores.js'
import { type Report, runPatchers, type Share } from './run-patchers.js'
import { selectStore } from './select-store.js'

/** What the process is asked. */
export interface PatchRequest extends Share {
  readonly engine: string
  readonly address: string
  readonly isBroken: boolean
}

let connection: Promise<Connection> | undefined

handleRequests<PatchRequest, Report>(
  async ({ engine, address, isBroken, ...share }) => {
    connection ??= findEngine(engine).connect(address)
    return runPatchers(selectStore((await connection).store, isBroken), share)
  },
  async () => {
    await (await connection)?.close()
  },
)
