/** The requests and responses of `node:http` and `node:http2` that the mounts on Node use. */

import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Writable } from 'node:stream'

/** A request of `node:http` or `node:http2`. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/** The parts of a Node response used here. */
export interface NodeServerResponse extends Writable {
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): Writable
  /** Sends `100 Continue`. */
  writeContinue(): void
  /** True if the status has been sent. */
  readonly headersSent: boolean
  /** Only in HTTP/2. There, only the stream is destroyed when the client disconnects. */
  readonly stream?: { readonly destroyed: boolean } | undefined
}

/** Returns true if the request came over HTTP/2. */
export function isHttp2(req: NodeRequest): req is Http2ServerRequest {
  return req.httpVersionMajor === 2
}

/**
 * Returns all values of a header, joined by commas. For some headers, `req.headers` has only the
 * first value.
 */
export function findHeader(rawHeaders: readonly string[], name: string): string | undefined {
  const wanted = name.toLowerCase()
  let found: string | undefined
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const key = rawHeaders[index] as string
    if (key.length !== wanted.length || key.toLowerCase() !== wanted) continue
    found = found === undefined ? rawHeaders[index + 1] : `${found}, ${rawHeaders[index + 1]}`
  }
  return found
}

/** Yields the names and values of all headers, without the pseudo-headers of HTTP/2. */
export function* listHeaders(rawHeaders: readonly string[]): Generator<readonly [string, string]> {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2)
    if (!name.startsWith(':')) yield [name, value]
  }
}
