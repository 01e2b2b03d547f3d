/** Serves a fetch handler on `node:http`, like a runtime with Request and Response. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Creates a listener that converts requests to `Request` and writes the `Response`.
 * @param normalizesTargets - True to pass a target on that `Request` changes, as runtimes do. By
 * default, the response is 400.
 */
export function createFetchBridge(
  handle: (request: Request) => Promise<Response>,
  normalizesTargets = false,
): RequestListener {
  return (req, res) => {
    handleRequest(handle, normalizesTargets, req, res).catch(() => res.destroy())
  }
}

async function handleRequest(
  handle: (request: Request) => Promise<Response>,
  normalizesTargets: boolean,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const url = `http://${req.headers.host}${req.url}`
  // A `Request` cannot represent a target that the URL parser changes: it would be another
  // resource.
  const isPassedOn = URL.canParse(url) && (normalizesTargets || new URL(url).href === url)
  if (!isPassedOn) return void res.writeHead(400).end()
  const { status, headers, body } = await handle(toRequest(req, res, url))
  if (res.destroyed) return body?.cancel()
  res.writeHead(status, Object.fromEntries(headers))
  if (body === null) res.end()
  else await pipeline(Readable.fromWeb(body as import('node:stream/web').ReadableStream), res)
  req.resume()
}

function toRequest(req: IncomingMessage, res: ServerResponse, url: string): Request {
  const client = new AbortController()
  const { signal } = client
  res.once('close', () => client.abort())
  const headers = new Headers()
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    headers.append(String(req.rawHeaders[index]), String(req.rawHeaders[index + 1]))
  }
  const method = req.method ?? 'GET'
  const hasBody = 'content-length' in req.headers || 'transfer-encoding' in req.headers
  if (!hasBody || method === 'GET' || method === 'HEAD')
    return new Request(url, { method, headers, signal })
  return new Request(url, {
    method,
    headers,
    signal,
    body: toByteStream(req),
    duplex: 'half',
  } as RequestInit)
}

/** Reads the body on demand, so that an unread body can be discarded. */
function toByteStream(req: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = req.iterator({ destroyOnReturn: false })
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await chunks.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
