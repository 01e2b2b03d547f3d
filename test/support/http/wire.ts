/** Speaks to a listener byte by byte, and says how the other end of the connection took it. */

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { HttpHandler } from '../../../src/http.js'

/** Milliseconds within which nothing may hang. */
const timeoutMs = 1000

/** What `work` resolves with, if that is within a second. */
export async function withinASecond<Value>(what: string, work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than a second`)), timeoutMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** A connection on which a request with these lines has been sent, and `body` behind them. */
export async function requestOn(
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

/** All that comes until the other end closes the connection, or breaks it off. */
export async function untilClosed(socket: Socket): Promise<string> {
  let text = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  if (!socket.closed) await once(socket, 'close')
  return text
}

/** Reads a body to its end, and says whether that is the end of the whole. */
async function howItEnds(body: AsyncIterable<Uint8Array>): Promise<'whole' | 'broken off'> {
  try {
    for await (const _ of body);
    return 'whole'
  } catch {
    return 'broken off'
  }
}

/** A handler that reads the body, once it has waited so many milliseconds, and how that ends. */
export function readingHandler(pause: number): {
  readonly handler: HttpHandler
  readonly end: Promise<'whole' | 'broken off'>
} {
  const read = Promise.withResolvers<'whole' | 'broken off'>()
  const handler: HttpHandler = async ({ body }) => {
    await new Promise((resolve) => setTimeout(resolve, pause))
    read.resolve(await howItEnds(body as AsyncIterable<Uint8Array>))
    return { status: 204, headers: {}, body: null }
  }
  return { handler, end: read.promise }
}
