/** Starts servers, each in a process of its own, and measures their slices. */

import { type BenchProcess, startProcess } from '../child-process.js'
import { itemCount } from '../sample.js'
import type { Runner, Slice } from '../take-turns.js'
import type { Variant } from '../variants.js'
import type { ServerOptions } from './created-server.js'
import { openConnections } from './load.js'
import { createRequests } from './requests.js'
import type { ServerRequests } from './server-process.js'
import { verifyServer } from './verify-server.js'

/** A server, and the conditions that differ from those of `http`. */
export interface ServerSettings {
  /** The name of a competitor's module, or a variant of a build. */
  readonly server: string | Variant
  /** The name in tables; that of the server if absent. */
  readonly name?: string
  readonly options?: Partial<Pick<ServerOptions, 'count' | 'storage' | 'location'>>
  /** Flags of Node. */
  readonly flags?: readonly string[]
  /** Connections with one request at a time on each; 16 if absent. */
  readonly connectionCount?: number
}

/** A running server that was verified. */
export interface RunningServer extends Runner {
  readonly child: BenchProcess<ServerRequests>
  /** Sends the requests of a slice, without measuring them. */
  send(slice: Slice, count: number): Promise<void>
}

const serverProcess = new URL('./server-process.ts', import.meta.url)

/** Starts a server with 4,096 items in memory, unless other conditions are given. */
export async function startServer({
  server,
  name,
  options,
  flags = [],
  connectionCount = 16,
}: ServerSettings): Promise<RunningServer> {
  const isCompetitor = typeof server === 'string'
  const module = isCompetitor ? server : 'cofferkit'
  const { url = '', cachedItems = 0 } = isCompetitor ? {} : server
  const conditions: ServerOptions = {
    count: itemCount,
    storage: 'memory',
    location: '',
    build: url,
    cachedItems,
    ...options,
  }
  const args = [module, JSON.stringify(conditions)]
  const child = startProcess<ServerRequests>(serverProcess, args, flags)
  const { port, itemIds } = await child.request('start')
  await verifyServer(module, port, itemIds)
  const connections = openConnections(port, connectionCount, conditions.storage === 'memory')
  const send = (slice: Slice, count: number): Promise<void> =>
    connections.run(count, createRequests(slice, itemIds))
  return {
    name: name ?? (isCompetitor ? server : server.name),
    child,
    send,
    async run(slice, count) {
      const [before, start] = [await child.request('cpu'), performance.now()]
      await send(slice, count)
      const end = performance.now()
      const cpu = ((await child.request('cpu')) - before) / count
      return { cpu, rate: (count * 1000) / (end - start) }
    },
    async stop() {
      connections.close()
      await child.stop()
    },
  }
}

/** Flags that write a CPU profile; no flags without a folder. */
export function profileFlags(folder: string | undefined, name: string): readonly string[] {
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}/${name}`]
}
