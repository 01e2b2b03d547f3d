/** Requests and answers as `node:http` has them: what every mount on Node translates alike. */

import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { Readable } from 'node:stream'
import type { HttpHandler, HttpRequest, HttpResponse } from '../../http/message.js'

/** A request of `node:http`, or of `node:http2`, whose own is like it in all that is used. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/** What a mount on Node sends. */
export interface NodeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A stream lets go of what it reads from when it is destroyed. */
  readonly body: string | Buffer | Readable | null
}

/**
 * The handler's answer to `req`, whose body nobody needs any more then: what is left of it is thrown away. What a
 * framework knows better than `req` is in `known`. Rejects only if the handler does, which those of this library never do.
 */
export async function handleNodeRequest(
  req: NodeRequest,
  handler: HttpHandler,
  known: Partial<HttpRequest> = {},
): Promise<NodeResponse> {
  const { status, headers, body } = await handler({
    method: req.method ?? 'GET',
    url: req.url ?? '/',
    header: headerOf(req),
    body: toHttpBody(req, Reflect.get(req, 'body')),
    remoteAddress: req.socket.remoteAddress,
    ...known,
  })
  req.resume()
  return {
    status,
    headers: req.httpVersionMajor === 1 ? headers : omitConnectionHeader(headers),
    body: toNodeBody(body),
  }
}

/** The bytes of a stream as they come; or, where a body parser has read them, what it has left. */
export function toHttpBody(stream: Readable, parsed: unknown): HttpRequest['body'] {
  return stream.readableDidRead ? { parsed } : readCompleteBody(stream)
}

/** Fails if the client hangs up, also on HTTP/2, where a request that breaks off ends as if it were whole. */
async function* readCompleteBody(stream: Readable): AsyncGenerator<Uint8Array> {
  yield* stream.iterator({ destroyOnReturn: false })
  if (Reflect.get(stream, 'aborted') === true) throw new Error('the client hung up')
}

/** Node keeps only the first of some headers that are sent twice; here all are seen. */
function headerOf({ rawHeaders }: NodeRequest): HttpRequest['header'] {
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

/** Later versions of HTTP have no connection header: their requests do not queue on a connection. */
function omitConnectionHeader({
  connection: _,
  ...headers
}: HttpResponse['headers']): HttpResponse['headers'] {
  return headers
}

function toNodeBody(body: HttpResponse['body']): NodeResponse['body'] {
  if (body instanceof ReadableStream)
    return Readable.fromWeb(body as import('node:stream/web').ReadableStream)
  return body instanceof Uint8Array ? Buffer.from(body.buffer, body.byteOffset, body.length) : body
}
