/**
 * Mounts the vault on `node:http`, and on whatever takes its listeners.
 * @module cofferkit/node
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { HttpHandler, HttpRequest, HttpResponse } from '../http/message.js'

/** A request listener. It answers every request, behind a body parser too, and closes the socket when that is impossible. */
export function createNodeListener(
  handler: HttpHandler,
): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    const request = {
      method: req.method ?? 'GET',
      url: req.url ?? '/',
      header: headerOf(req),
      body: bodyOf(req),
      remoteAddress: req.socket.remoteAddress,
    }
    handler(request)
      .then((response) => send(response, req, res))
      .catch(() => res.destroy())
  }
}

async function send(
  response: HttpResponse,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { status, body } = response
  const headers = req.httpVersionMajor === 1 ? response.headers : unconnected(response.headers)
  if (body instanceof ReadableStream) {
    res.writeHead(status, headers)
    await pipeline(Readable.fromWeb(body as import('node:stream/web').ReadableStream), res)
  } else if (body === null) {
    res.writeHead(status, headers).end()
  } else {
    res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  }
  req.resume()
}

/** Later versions of HTTP have no connection header: their requests do not queue on a connection. */
function unconnected({ connection: _, ...headers }: Record<string, string>): typeof headers {
  return headers
}

/** Node keeps only the first of some headers that are sent twice; here all are seen. */
function headerOf({ rawHeaders }: IncomingMessage): HttpRequest['header'] {
  return (name) => {
    const wanted = name.toLowerCase()
    let found: string | undefined
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const key = rawHeaders[index] as string
      if (key.length !== wanted.length || key.toLowerCase() !== wanted) continue
      found = found === undefined ? rawHeaders[index + 1] : `${found}, ${rawHeaders[index + 1]}`
    }
    return found
  }
}

function bodyOf(req: IncomingMessage): HttpRequest['body'] {
  if (req.readableDidRead) return { parsed: Reflect.get(req, 'body') }
  return { [Symbol.asyncIterator]: () => req.iterator({ destroyOnReturn: false }) }
}
