/** Listens on a port, and stops without cutting off requests. */

import { createServer, type RequestListener } from 'node:http'
import { CommandError } from '../command-error.js'
import type { ServerAddress } from './server-flags.js'

/** A listening server. */
export interface ListeningServer {
  /** Such as `http://127.0.0.1:8080`: an address that works on this machine. */
  readonly origin: string
  /** True if it listens on every address of the machine, such as 0.0.0.0. */
  readonly isOnEveryAddress: boolean
  /** Returns the number of open connections. */
  countConnections(): Promise<number>
  /** Refuses new connections, and resolves when every request has its response, or after 10 s. */
  stop(): Promise<void>
}

const drainMs = 10_000
const idleCheckMs = 20

/** A proxy must close idle connections before the server does, or requests would get 502. */
const keepAliveMs = 65_000

/**
 * Listens on a host and port; on a free port if it is 0.
 * @param maxConnections - More connections are closed at once. Default: no limit.
 * @throws CommandError if the address cannot be used.
 */
export async function listen(
  listener: RequestListener,
  { host, port }: ServerAddress,
  maxConnections?: number,
): Promise<ListeningServer> {
  // Otherwise Node would let a client that waits for `100 Continue` send a body that is refused.
  const server = createServer(listener).on('checkContinue', listener)
  server.keepAliveTimeout = keepAliveMs
  if (maxConnections !== undefined) server.maxConnections = maxConnections
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)))
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const actualPort = typeof address === 'object' && address !== null ? address.port : port
  const isOnEveryAddress = /^(?:0+(?:\.0+){0,3}|::|)$/.test(host)
  const ownHost = host.includes(':') ? '::1' : '127.0.0.1'
  const originHost = isOnEveryAddress ? ownHost : host
  return {
    origin: `http://${originHost.includes(':') ? `[${originHost}]` : originHost}:${actualPort}`,
    isOnEveryAddress,
    countConnections: () =>
      new Promise((resolve) => server.getConnections((_, count = 0) => resolve(count))),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // A connection becomes idle when its last response is complete, and Node keeps it open.
      const idle = setInterval(() => server.closeIdleConnections(), idleCheckMs)
      const timer = setTimeout(() => server.closeAllConnections(), drainMs)
      await closed
      clearInterval(idle)
      clearTimeout(timer)
    },
  }
}

function listenError({ code }: NodeJS.ErrnoException, host: string, port: number): CommandError {
  if (code === 'EADDRINUSE')
    return new CommandError(
      `port ${port} is already in use`,
      'Choose another one with --port; 0 is any free port.',
    )
  const reason = code === 'EACCES' ? 'ports below 1024 need more rights' : (code ?? 'unknown')
  return new CommandError(`cannot listen on ${host}, port ${port}: ${reason}`)
}
