/** Sends an answer over a response of `node:http` or `node:http2`. */

import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { NodeResponse } from './node-message.js'

/**
 * Never rejects: what cannot be sent, or not to its end, closes the socket, so that half is not taken for the whole. A
 * stream is let go in any case.
 */
export async function send(
  { status, headers, body }: NodeResponse,
  res: ServerResponse,
): Promise<void> {
  try {
    if (body instanceof Readable) {
      if (isGone(res)) throw new Error('the client is gone')
      res.writeHead(status, headers)
      await pipeline(body, res)
    } else if (body === null) {
      res.writeHead(status, headers).end()
    } else {
      res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
    }
  } catch {
    if (body instanceof Readable) body.destroy()
    breakOff(res)
  }
}

/** Closes the connection, or on HTTP/2 the stream, with an error: without one, HTTP/2 calls it a good end. */
export function breakOff(res: ServerResponse): void {
  res.destroy(new Error('there is no answer'))
}

/** A response of HTTP/2 knows it of its stream only. */
function isGone(res: ServerResponse & { readonly stream?: Readable }): boolean {
  return (res.stream ?? res).destroyed
}
