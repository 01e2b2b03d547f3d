/** Servers and clients for tests of bodies that are not read. */

import { once } from 'node:events'
import type { Server, Socket } from 'node:net'
import { onTestFinished, vi } from 'vitest'
import type { HttpHandler } from '../../../src/http/message.js'
import type { TestVault } from '../../../src/testing.js'
import { createTestVault } from './checked-handlers.js'
import { type FrameworkUnderTest, mounts } from './mounts.js'
import { vaultUrl } from './requests.js'
import { withServer } from './serve.js'

/** The mounts that have the socket of a request. */
export const socketMounts = mounts.filter(({ name }) => !/fetch|Hono/.test(name))

/** The body of a response without a valid token. */
export const unauthorized = '{"status":401,"message":"Invalid bearer token"}'

/** More than the server may read of a body of 10 MB: the limit, and the buffers of Node. */
export const mostReadBytes = 512 * 1024

/** A mounted vault that listens. */
export interface ListeningMount {
  readonly vault: TestVault & { readonly handler: HttpHandler }
  readonly origin: string
  /** The server's ends of the connections. */
  readonly sockets: readonly Socket[]
  /** Returns the lines of a request without a token, for a new item. */
  post(...headers: readonly string[]): string[]
}

/** Options of {@link withMount}. */
export interface MountOptions {
  /** A handler in place of that of the test vault. */
  readonly handler?: HttpHandler
  /** True if the server has a listener for `checkContinue`. */
  readonly continues?: boolean
  /** The option of `createHttpHandler`. */
  readonly maxBodyBytes?: number
}

/** Runs `work` with a server of the mount, with a test vault at the root. */
export async function withMount(
  { serve }: Pick<FrameworkUnderTest, 'serve'>,
  work: (mount: ListeningMount) => Promise<void>,
  { handler, continues, ...limits }: MountOptions = {},
): Promise<void> {
  const vault = await createTestVault({}, limits)
  const server = await serve(handler ?? vault.handler)
  if (continues) server.on('checkContinue', (req, res) => server.emit('request', req, res))
  const sockets = watchSockets(server)
  const post = (...headers: readonly string[]) => [
    `POST ${vaultUrl(vault, '/items')} HTTP/1.1`,
    'content-type: application/json',
    ...headers,
  ]
  await withServer(server, (origin) => work({ vault, origin, sockets, post }))
}

/** A handler that reads no body, and responds with this many bytes. */
export function respondWith(size: number): HttpHandler {
  return async () => ({
    status: 200,
    headers: { 'content-length': String(size) },
    body: new Blob([new Uint8Array(size)]).stream(),
  })
}

/** Returns the server's ends of all later connections. */
export function watchSockets(server: Server): readonly Socket[] {
  const sockets: Socket[] = []
  server.on('connection', (socket) => sockets.push(socket))
  return sockets
}

/** Stops the timers until the test ends. `vi.advanceTimersByTime` runs them. */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

/** Reads until `end` has been received. The socket stays open. */
export async function readUntil(socket: Socket, end: string): Promise<string> {
  let text = ''
  while (!text.includes(end)) {
    const [chunk] = await once(socket, 'data')
    text += chunk.toString('latin1')
  }
  return text
}

/** Returns the statuses of responses. */
export function statuses(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status)
}
