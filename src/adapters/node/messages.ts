/** Requests and responses of `node:http` and `node:http2`, for every mount on Node. */

import { finished, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toChunks } from '../../base/blob-content.js'
import type { HttpHandler, HttpRequest, HttpResponse, ParsedBody } from '../../http/message.js'
import {
  findHeader,
  isHttp2,
  listHeaders,
  type NodeRequest,
  type NodeServerResponse,
} from './node-request.js'
import { createRequestBody } from './request-body.js'

/** A response that a mount on Node sends. */
export interface NodeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A stream must be destroyed if it is not read to its end. */
  readonly body: string | Buffer | Readable | null
}

/** Members of the request that the framework provides instead, such as an address behind a proxy. */
export interface NodeOverrides extends Partial<Omit<HttpRequest, 'body'>> {
  /** The unread body: the request, if absent, or what the framework has made of it. */
  readonly stream?: Readable
  /** The result of a body parser that has read the stream; `req.body` if absent. */
  readonly parsed?: unknown
}

/**
 * Calls the handler with a request and returns its response. What the handler leaves of the body is
 * discarded, within limits: see `discardRest`.
 * @throws the error of the handler; a handler of this library never rejects
 */
export async function handleNodeRequest(
  req: NodeRequest,
  res: NodeServerResponse,
  handler: HttpHandler,
  { stream = req, parsed = Reflect.get(req, 'body'), ...overrides }: NodeOverrides = {},
): Promise<NodeResponse> {
  const isRead = stream.readableDidRead
  const arrived = isRead ? undefined : await takeArrived(req, stream)
  const rest = createRequestBody(req, res, stream)
  const request: HttpRequest = {
    method: req.method ?? 'GET',
    url: req.url ?? '/',
    header: findHeader.bind(undefined, req.rawHeaders),
    headers: listHeaders.bind(undefined, req.rawHeaders),
    signal: createClientSignal.bind(undefined, res),
    body: isRead ? parsedBody(req, parsed) : (arrived ?? rest.chunks),
    remoteAddress: req.socket.remoteAddress,
    ...overrides,
  }
  const { status, headers, body } = await handler(request)
  const added = req.complete || arrived ? {} : await rest.discardRest()
  return {
    status,
    headers: isHttp2(req) ? omitConnectionHeader(headers) : { ...headers, ...added },
    body: typeof body === 'string' ? body : toNodeBody(body),
  }
}

/** Returns the body that a parser has read, with the bytes that some platforms keep. */
function parsedBody(req: NodeRequest, parsed: unknown): ParsedBody {
  const bytes: unknown = Reflect.get(req, 'rawBody')
  return bytes instanceof Uint8Array ? { parsed, bytes } : { parsed }
}

/**
 * Returns the whole body if it came with its headers; undefined if some of it is still to come, if
 * it has no declared length, or if something has wrapped or reads the stream. It is at most as long
 * as the stream's buffer. Saves the iterator and the timer of `readBody`, 5 to 14 % of a request. In
 * HTTP/2 nothing arrives before the body is read.
 */
async function takeArrived(req: NodeRequest, stream: Readable): Promise<Uint8Array | undefined> {
  const declared = findHeader(req.rawHeaders, 'content-length')
  if (declared === undefined || stream !== req) return undefined
  if (findHeader(req.rawHeaders, 'transfer-encoding') !== undefined) return undefined
  // `node:http` delivers a body that came with its headers before the next microtask.
  await undefined
  // `complete` is set later.
  const length = req.readableLength
  if (length === 0 || String(length) !== declared) return undefined
  const bytes: Uint8Array = req.read(length)
  // Otherwise the request would never emit `end` and `close`, for which embedders can wait.
  req.resume()
  return bytes
}

/** Returns a signal that is aborted when the response has ended or the client has disconnected. */
function createClientSignal(res: NodeServerResponse): AbortSignal {
  const controller = new AbortController()
  const abort = () => controller.abort()
  // In HTTP/2, `finished` does not report a response that has already ended.
  if (isClosed(res)) abort()
  else finished(res, abort)
  return controller.signal
}

/** HTTP/2 has no connection header: its requests do not queue on a connection. */
function omitConnectionHeader({
  connection: _,
  ...headers
}: HttpResponse['headers']): HttpResponse['headers'] {
  return headers
}

function toNodeBody(body: Exclude<HttpResponse['body'], string>): NodeResponse['body'] {
  if (body === null) return null
  if (body instanceof Uint8Array) return Buffer.from(body.buffer, body.byteOffset, body.length)
  return Readable.from(toChunks(body), { objectMode: false })
}

/**
 * Sends a response. Never throws: if it cannot be sent completely, the connection is closed, so
 * that the client does not take a part for the whole. A stream is always destroyed.
 */
export function send({ status, headers, body }: NodeResponse, res: NodeServerResponse): void {
  try {
    if (body instanceof Readable) {
      sendStream(status, headers, body, res)
    } else if (body === null) {
      res.writeHead(status, headers).end()
    } else {
      res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
    }
  } catch {
    abortResponse(res)
  }
}

async function sendStream(
  status: number,
  headers: NodeResponse['headers'],
  body: Readable,
  res: NodeServerResponse,
): Promise<void> {
  try {
    if (isClosed(res)) throw new Error('the client disconnected')
    res.writeHead(status, headers)
    await pipeline(body, res)
  } catch {
    body.destroy()
    abortResponse(res)
  }
}

/**
 * Closes the connection, or the stream in HTTP/2, with an error: without one, HTTP/2 reports a
 * normal end.
 */
export function abortResponse(res: NodeServerResponse): void {
  res.destroy(new Error('the response is incomplete'))
}

/** Returns true if the client has disconnected. In HTTP/2 only the stream reports it. */
function isClosed(res: NodeServerResponse): boolean {
  return (res.stream ?? res).destroyed
}

/**
 * Watches the stream of a download. If it fails, the connection is closed, so that the client takes
 * neither a part nor an error of the framework for the whole. If `res` has ended, or had ended
 * before, `onEnd` is called and the stream is destroyed, even if nothing has read it. Does nothing
 * for other bodies.
 */
export function cleanUpDownload(
  body: NodeResponse['body'],
  res: NodeServerResponse,
  onEnd: () => void = () => {},
): void {
  if (!(body instanceof Readable)) return
  body.once('error', () => abortResponse(res))
  const release = () => {
    onEnd()
    body.destroy()
  }
  // In HTTP/2, `finished` does not report a response that has already ended.
  if (isClosed(res)) release()
  else finished(res, release)
}
