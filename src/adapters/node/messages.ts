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

/** A response to send from a mount on Node. */
export interface NodeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** A stream must be destroyed if it is not read to its end. */
  readonly body: string | Buffer | Readable | null
}

/**
 * Members that the framework provides instead of Node's request, such as an address behind a proxy.
 */
export interface NodeOverrides extends Partial<Omit<HttpRequest, 'body'>> {
  /** The unread body, if the framework has replaced it. Default: the request. */
  readonly stream?: Readable
  /** The result of a body parser that has read the stream. Default: `req.body`. */
  readonly parsed?: unknown
}

/**
 * Calls the handler with a request and returns its response. The part of the body that the handler
 * does not read is discarded, within limits (see `discardRest`).
 * @throws The error of the handler. A handler of this library never rejects.
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
    body: isRead ? parsedBody(req, parsed) : (arrived ?? rest.content),
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

/** Returns the body that a parser has read, and its bytes if the platform keeps them. */
function parsedBody(req: NodeRequest, parsed: unknown): ParsedBody {
  const bytes: unknown = Reflect.get(req, 'rawBody')
  return bytes instanceof Uint8Array ? { parsed, bytes } : { parsed }
}

/**
 * Returns the complete body if it arrived together with the headers. Returns undefined if a part is
 * still to come, if the body has no declared length, or if something has wrapped the stream or
 * reads it. The body is at most as long as the stream's buffer. This saves the iterator and the
 * timer of `readBody`, 5 to 14 % of a request. In HTTP/2 nothing arrives before the body is read.
 */
async function takeArrived(req: NodeRequest, stream: Readable): Promise<Uint8Array | undefined> {
  const declared = findHeader(req.rawHeaders, 'content-length')
  if (declared === undefined || stream !== req) return undefined
  if (findHeader(req.rawHeaders, 'transfer-encoding') !== undefined) return undefined
  // `node:http` delivers a body that came with its headers before the next microtask.
  await undefined
  // Node sets `complete` only later.
  const length = req.readableLength
  if (length === 0 || String(length) !== declared) return undefined
  const bytes: Uint8Array = req.read(length)
  // Otherwise the request would never emit `end` and `close`, which embedders may wait for.
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

/** HTTP/2 has no connection header, because its requests do not queue on a connection. */
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
 * Sends a response. Never throws. If the response cannot be sent completely, the connection is
 * closed, so that the client does not mistake a part for all of it. A stream is always destroyed.
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
 * Closes the connection, or the stream in HTTP/2, with an error. Without an error, HTTP/2 would
 * report a normal end.
 */
export function abortResponse(res: NodeServerResponse): void {
  res.destroy(new Error('the response is incomplete'))
}

/** Returns true if the client has disconnected. In HTTP/2, only the stream tells. */
function isClosed(res: NodeServerResponse): boolean {
  return (res.stream ?? res).destroyed
}

/**
 * Watches the stream of a download. If it fails, the connection is closed, so that the client does
 * not mistake a part, or the framework's error, for the complete file. When `res` has ended,
 * `onEnd` is called and the stream is destroyed, even if nothing has read it. Does nothing for
 * other bodies.
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
