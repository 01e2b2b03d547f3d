/** Sends an answer over a response of `node:http` or `node:http2`. */

import { finished, Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { NodeResponse } from './request.js'

/** What is used of a response of `node:http` or `node:http2`. */
export interface NodeServerResponse extends Writable {
  /** Sends the status and the headers. */
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): Writable
  /** Only of HTTP/2, where it alone knows whether the client is gone. */
  readonly stream?: { readonly destroyed: boolean }
}

/**
 * Never rejects: what cannot be sent, or not to its end, closes the socket, so that half is not taken for the whole. A
 * stream is let go in any case.
 */
export async function send(
  { status, headers, body }: NodeResponse,
  res: NodeServerResponse,
): Promise<void> {
  try {
    if (body instanceof Readable) {
      if (isClosed(res)) throw new Error('the client is gone')
      res.writeHead(status, headers)
      await pipeline(body, res)
    } else if (body === null) {
      res.writeHead(status, headers).end()
    } else {
      res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
    }
  } catch {
    if (body instanceof Readable) body.destroy()
    abortResponse(res)
  }
}

/** Closes the connection, or on HTTP/2 the stream, with an error: without one, HTTP/2 calls it a good end. */
export function abortResponse(res: NodeServerResponse): void {
  res.destroy(new Error('there is no answer'))
}

/** Whether the client is gone. A response of HTTP/2 knows it of its stream only. */
export function isClosed(res: NodeServerResponse): boolean {
  return (res.stream ?? res).destroyed
}

/**
 * If `body` is a stream: when it fails, the connection is closed, so that neither half nor an error of the framework is
 * taken for the whole; when `res` is at its end, or has been before, `onEnd` is called, and the stream is let go, also if
 * nobody has sent it.
 */
export function cleanUpDownload(
  body: NodeResponse['body'],
  res: NodeServerResponse,
  onEnd: () => void = () => {},
): void {
  if (!(body instanceof Readable)) return
  body.once('error', () => abortResponse(res))
  const letGo = () => {
    onEnd()
    body.destroy()
  }
  // On HTTP/2 nothing tells of an end that has been before.
  if (isClosed(res)) letGo()
  else finished(res, letGo)
}
