/** Starts servers, each in a process of its own, and measures their slices. */

import { startProcess } from '../child-process.js'
import type { Build } from '../load-build.js'
import type { MethodName, Runner } from '../measure.js'
import { itemCount } from '../sample.js'
import { openConnections } from './load.js'
import { createRequests } from './requests.js'
import type { ServerOptions, ServerRequests } from './server-process.js'
import { verifyServer } from './verify-server.js'

/** A server, and the conditions that differ from those of `http`. */
export interface ServerSettings {
  /** The module of a server by hand, or a build. */
  readonly server: string | Build
  /** The name in tables; that of the server if absent. */
  readonly name?: string
  readonly options?: Pick<ServerOptions, 'storage' | 'location'>
}

const serverProcess = new URL('./server-process.ts', import.meta.url)

/** A running server. */
export interface ServerRunner extends Runner {
  /**
   * Resolves with the bytes of one request that survive the collection after it. The requests are
   * for few items, so that what they store does not survive for long.
   */
  countSurvivors(operation: MethodName, count: number): Promise<number>
}

const observedItems = 64

/** Starts a server with 4,096 items, in memory unless other conditions are given, and verifies it. */
export async function startServer({
  server,
  name,
  options = { storage: 'memory', location: '' },
}: ServerSettings): Promise<ServerRunner> {
  const isByHand = typeof server === 'string'
  const module = isByHand ? server : 'cofferkit'
  const build = isByHand ? '' : server.url
  const conditions: ServerOptions = { ...options, count: itemCount, build }
  const args = [module, JSON.stringify(conditions)]
  const child = startProcess<ServerRequests>(serverProcess, args)
  const { port, itemIds } = await child.request('start')
  await verifyServer(module, port, itemIds)
  const connections = openConnections(port, 16, conditions.storage === 'memory')
  return {
    name: name ?? (isByHand ? server : server.name),
    async run(operation, count) {
      const [before, start] = [await child.request('cpu'), performance.now()]
      await connections.run(count, createRequests(operation, itemIds))
      const end = performance.now()
      const cpu = ((await child.request('cpu')) - before) / count
      return { cpu, rate: (count * 1000) / (end - start) }
    },
    async countSurvivors(operation, count) {
      const observed = itemIds.slice(0, observedItems)
      await child.request('observe')
      await connections.run(count, createRequests(operation, observed))
      return (await child.request('survivors')) / count
    },
    async stop() {
      connections.close()
      await child.stop()
    },
  }
}
