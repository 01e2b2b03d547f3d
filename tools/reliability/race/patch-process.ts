/** A process of the check `race`: runs its patchers on a connection of its own. */

import { type Connection, findEngine } from '../support/stores.js'
import { handleRequests } from '../support/worker-process.js'
import { type Report, runPatchers, type Share } from './run-patchers.js'
import { selectStore } from './select-store.js'

/** Request to this process. */
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
