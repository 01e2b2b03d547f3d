/** A load balancer: sends each request to a server whose `/health` is 200. */

import { createServer, request as startRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** A running load balancer. */
export interface Balancer {
  readonly origin: string
  /** Adds a server, and resolves when it gets requests. */
  add(origin: string): Promise<void>
  /** Forgets a server that has ended. */
  remove(origin: string): void
  close(): void
}

const probeMs = 100

/** Starts a load balancer without servers. */
export async function startBalancer(): Promise<Balancer> {
  const servers = new Map<string, boolean>()
  let turn = 0
  const probe = async (origin: string): Promise<void> => {
    while (servers.has(origin)) {
      const response = await fetch(`${origin}/health`).catch(() => undefined)
      if (servers.has(origin)) servers.set(origin, response?.status === 200)
      await response?.arrayBuffer()
      await pause(probeMs)
    }
  }
  const listener = createServer((request, response) => {
    const healthy = [...servers].flatMap(([origin, isHealthy]) => (isHealthy ? [origin] : []))
    const origin = healthy[turn++ % Math.max(1, healthy.length)]
    if (origin === undefined) return response.writeHead(503).end()
    const headers = { ...request.headers, 'x-forwarded-for': request.socket.remoteAddress }
    const forwarded = startRequest(origin + request.url, { method: request.method, headers })
    forwarded.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    return request.pipe(forwarded)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    async add(origin) {
      servers.set(origin, false)
      probe(origin)
      while (servers.get(origin) === false) await pause(probeMs)
    },
    remove: (origin) => servers.delete(origin),
    close() {
      servers.clear()
      listener.closeAllConnections()
      listener.close()
    },
  }
}
