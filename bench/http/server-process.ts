/** A process that is one server, and reports its CPU time and its memory. */

import { handleRequests } from '../child-process.js'
import { type CounterRequests, counters } from '../memory/counters.js'
import type { CreateServer, ServerOptions } from './created-server.js'

/** The requests to this process. */
export type ServerRequests = CounterRequests & {
  /** Resolves with the port and the ids of the stored items. */
  readonly start: () => { readonly port: number; readonly itemIds: readonly string[] }
  /** Resolves with the CPU microseconds since the start of the process. */
  readonly cpu: () => number
  /** Resolves with the bytes of memory that the process occupies. */
  readonly residentBytes: () => number
}

const [, , name, text = '{}'] = process.argv
const options: ServerOptions = JSON.parse(text)
const { createServer }: { createServer: CreateServer } = await import(`./${name}.ts`)
const { server, itemIds } = await createServer(options)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

handleRequests<ServerRequests>({
  start() {
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    return { port: address.port, itemIds }
  },
  cpu() {
    const { user, system } = process.cpuUsage()
    return user + system
  },
  ...counters,
  residentBytes: () => process.memoryUsage.rss(),
})
