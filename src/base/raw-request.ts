/** Sends HTTP/1.1 requests byte by byte. */

import { isCompleteResponse, type RawResponse, toRawResponse } from './raw-response.js'

/** Options of `rawRequest`. */
export interface RawRequestOptions {
  /** Sent after the head. Default: empty. */
  readonly body?: string | Uint8Array
  /** Closes the connection 50 ms after the body was written, without waiting for a response. */
  readonly disconnect?: boolean
}

/**
 * Sends a request exactly as given, and reads until a response is complete or the server closes the
 * connection. `head` contains the request line and the header lines.
 * @throws Error if nothing is received within 30 seconds, or the connection fails.
 */
export async function rawRequest(
  { origin }: { readonly origin: string },
  head: readonly string[],
  { body = '', disconnect = false }: RawRequestOptions = {},
): Promise<RawResponse> {
  // Imported on demand, so that a bundle for a runtime without `node:net` can contain this file.
  const { connect } = await import('node:net')
  const { hostname, port } = new URL(origin)
  const received: Uint8Array[] = []
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    const finish = (): void => {
      socket.destroy()
      resolve(toRawResponse(received))
    }
    socket.setTimeout(30_000, () => socket.destroy(new Error('no response within 30 seconds')))
    socket.on('connect', () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      socket.write(body, () => disconnect && setTimeout(finish, 50))
    })
    socket.on('data', (chunk) => {
      received.push(chunk)
      if (isCompleteResponse(received)) finish()
    })
    socket.on('end', finish)
    socket.on('error', (error) => (received.length > 0 ? finish() : reject(error)))
  })
}

/** Returns the request line and the header `host` of a raw request. */
export function startRequest(
  { origin }: { readonly origin: string },
  method: string,
  path: string,
): readonly string[] {
  const { pathname, host } = new URL(origin)
  const target = `${pathname === '/' ? '' : pathname}${path}`
  return [`${method} ${target} HTTP/1.1`, `host: ${host}`]
}
