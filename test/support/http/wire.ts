/** Raw sockets: requests byte by byte, and the way in which a connection ends. */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { HttpHandler } from '../../../src/http.js'

/** The time after which work counts as hanging. Nothing that works takes as long, however busy the machine. */
const timeoutMs = 20_000

/** Resolves like `work`. @throws Error if it hangs. */
export async function inTime<Value>(what: string, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${timeoutMs} ms`)), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Opens a connection and sends a request with these lines and this body. */
export async function sendRaw(
  origin: string,
  lines: readonly string[],
  body = '',
): Promise<Socket> {
  const { hostname, port, host } = new URL(origin)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const [first, ...others] = lines
  socket.write(`${[first, `host: ${host}`, ...others].join('\r\n')}\r\n\r\n${body}`)
  return socket
}

/** Reads until the other end closes or aborts the connection. */
export async function readUntilClosed(socket: Socket): Promise<string> {
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  return text
}

/** Reads a body; returns whether it ended normally. */
async function drain(body: AsyncIterable<Uint8Array>): Promise<'whole' | 'broken off'> {
  try {
    for await (const _ of body);
    return 'whole'
  } catch {
    return 'broken off'
  }
}

/**
 * Creates a handler that waits this many milliseconds and then reads the body. `end` resolves with
 * the way in which the body ended.
 */
export function createReadingHandler(pause: number): {
  readonly handler: HttpHandler
  readonly end: Promise<'whole' | 'broken off'>
} {
  const read = Promise.withResolvers<'whole' | 'broken off'>()
  const handler: HttpHandler = async ({ body }) => {
    await new Promise((resolve) => setTimeout(resolve, pause))
    read.resolve(await drain(body as AsyncIterable<Uint8Array>))
    return { status: 204, headers: {}, body: null }
  }
  return { handler, end: read.promise }
}
