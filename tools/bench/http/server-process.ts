/** A process that is one server, and reports its CPU time. */

import type { Server } from 'node:net'
import { GCProfiler } from 'node:v8'
import { handleRequests } from '../child-process.js'

/** The kind of the storage of a server. */
export type StorageKind = 'memory' | 'sqlite' | 'postgres'

/** The conditions of a server. */
export interface ServerOptions {
  /** Number of stored items. */
  readonly count: number
  readonly storage: StorageKind
  /** The folder of the SQLite file or the URL of the PostgreSQL server; empty for memory. */
  readonly location: string
  /** URL of the build of the library; empty for a server by hand. */
  readonly build: string
}

/** A server with stored items that does not listen yet. */
export interface CreatedServer {
  readonly server: Server
  readonly itemIds: readonly string[]
}

/** The requests to this process. */
export type ServerRequests = {
  /** Resolves with the port and the ids of the stored items. */
  readonly start: () => { readonly port: number; readonly itemIds: readonly string[] }
  /** Resolves with the CPU microseconds since the start of the process. */
  readonly cpu: () => number
  /** Begins to observe the collections of young objects. */
  readonly observe: () => void
  /** Resolves with the bytes that survived the collections since `observe`. */
  readonly survivors: () => number
}

const [, , name, text = '{}'] = process.argv
const options: ServerOptions = JSON.parse(text)
const { createServer }: { createServer: (options: ServerOptions) => Promise<CreatedServer> } =
  await import(`./${name}.ts`)
const { server, itemIds } = await createServer(options)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

const profiler = new GCProfiler()

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
  observe() {
    profiler.start()
  },
  survivors() {
    const { statistics = [] } = profiler.stop() ?? {}
    const young = statistics.filter(({ gcType }) => gcType === 'Scavenge')
    return young.reduce(
      (sum, { beforeGC, afterGC }) =>
        sum + oldBytes(afterGC.heapSpaceStatistics) - oldBytes(beforeGC.heapSpaceStatistics),
      0,
    )
  },
})

/** Returns the bytes of objects that have survived a collection. */
function oldBytes(spaces: readonly { spaceName: string; spaceUsedSize: number }[]): number {
  const old = spaces.filter(({ spaceName }) => !spaceName.startsWith('new_'))
  return old.reduce((sum, { spaceUsedSize }) => sum + spaceUsedSize, 0)
}
