/** Reads the body of a request when the handler asks for it, and limits what is read of the rest. */

import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Readable } from 'node:stream'
import { yieldToEventLoop } from '../../base/pacer.js'
import { findHeader, isHttp2, type NodeRequest, type NodeServerResponse } from './node-request.js'

/** How many bytes of an unread rest are read, besides what Node and the system buffer. */
const maxDiscardedBytes = 65_536

/** How long to wait for the rest of a body after the response. */
const maxDiscardMs = 1_000

const noBytes = new Uint8Array(0)

/** A body that has not been read. */
export interface RequestBody {
  /**
   * No bytes if the request has no body, otherwise its chunks. They fail if the client disconnects.
   * When the first one is requested, a client that waits for `100 Continue` receives it.
   */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>
  /**
   * Ends the chunks, and begins to discard the rest of the body: at most 64 KiB, and until a second
   * after the response. If the body has not ended by then, the connection is closed, or in HTTP/2
   * only the stream. Call this before you send the response.
   * @returns Headers for the response. In HTTP/1.1 they announce that the connection will close,
   * unless the rest is declared to have at most 64 KiB. They do not apply to HTTP/2.
   */
  discardRest(): Promise<Readonly<Record<string, string>>>
}

/** Returns the body of a request. `stream` is the framework's replacement of the request. */
export function createRequestBody(
  req: NodeRequest,
  res: NodeServerResponse,
  stream: Readable,
): RequestBody {
  let receivedBytes = 0
  let reading: AsyncGenerator<Uint8Array> | undefined

  /**
   * Returns the chunks. They are made when they are asked for, because V8 keeps everything that a
   * generator refers to beyond the next collection if the generator is never started.
   */
  function readOnce(): AsyncGenerator<Uint8Array> {
    reading ??= readChunks()
    return reading
  }

  async function* readChunks(): AsyncGenerator<Uint8Array> {
    if (isContinueAwaited(req, res)) res.writeContinue()
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
      receivedBytes += chunk.length
      yield chunk
    }
    // In HTTP/2, an aborted request would otherwise end like a complete one.
    if (Reflect.get(stream, 'aborted') === true) throw new Error('the client disconnected')
  }

  const isEmpty = stream === req && !hasBody(req)
  return {
    content: isEmpty ? noBytes : { [Symbol.asyncIterator]: readOnce },
    async discardRest() {
      if (!hasBody(req)) {
        // An HTTP/2 stream would otherwise not report that the client is gone.
        req.resume()
        return {}
      }
      const declared = findHeader(req.rawHeaders, 'content-length')
      // If a hook has decoded the stream, its chunks have other lengths.
      const isCounted = declared !== undefined && stream === req
      const restBytes = isCounted ? Number(declared) - receivedBytes : Number.POSITIVE_INFINITY
      // Node recognizes the end of a body after it has passed on the last chunk.
      if (!isCounted) await yieldToEventLoop()
      const hasEnded = req.complete
      if (!hasEnded) limitTime(req, res)
      req.unpipe()
      const discard = () => discardBytes(req)
      // A partly read body stays paused until its iteration ends, and that waits for the next
      // chunk.
      readOnce().return(undefined).then(discard, discard)
      const isKept = restBytes <= maxDiscardedBytes && !isContinueAwaited(req, res)
      return hasEnded || isKept ? {} : { connection: 'close' }
    },
  }
}

/** Returns false if, according to its headers, the request has no body. */
function hasBody(req: NodeRequest): boolean {
  if (isHttp2(req)) return !req.stream.endAfterHeaders
  if (findHeader(req.rawHeaders, 'transfer-encoding') !== undefined) return true
  return Number(findHeader(req.rawHeaders, 'content-length') ?? 0) > 0
}

/**
 * Returns true if the client waits for `100 Continue` before it sends the body. Without a listener
 * for `checkContinue`, Node sends it before the request is handled.
 */
function isContinueAwaited(req: NodeRequest, res: NodeServerResponse): boolean {
  const expectation = findHeader(req.rawHeaders, 'expect')
  if (expectation === undefined || expectation.toLowerCase() !== '100-continue') return false
  if (res.headersSent) return false
  if (isHttp2(req)) return !req.stream.sentInfoHeaders?.length
  // HTTP/1.0 has no interim responses. If Node did not have this member, the client would receive
  // `100 Continue` twice, which is allowed.
  return req.httpVersionMinor > 0 && Reflect.get(res, '_sent100') !== true
}

/** Reads and discards a body up to the limit, and then makes the client wait. */
function discardBytes(req: NodeRequest): void {
  let discardedBytes = 0
  req.on('data', (chunk: Uint8Array) => {
    discardedBytes += chunk.length
    if (discardedBytes > maxDiscardedBytes) req.pause()
  })
  req.resume()
}

/** Ends the request some time after the response, unless the body has ended before. */
function limitTime(req: NodeRequest, res: NodeServerResponse): void {
  if (isHttp2(req)) limitStream(req)
  // A request that a framework injects in a test has no connection.
  else if (typeof req.socket.destroySoon === 'function') limitConnection(req, res)
}

/**
 * Closes the connection of HTTP/1.1 some time after the response, unless the body has ended before.
 * Otherwise a response with `connection: close` would close it at once. The system would then reset
 * it because of the unread bytes, and the client might lose the response.
 */
function limitConnection(req: IncomingMessage, res: NodeServerResponse): void {
  const { socket } = req
  let timer: NodeJS.Timeout | undefined
  let isClosing = false
  let hasEnded = false

  function startTimer(): void {
    if (!hasEnded) timer ??= setTimeout(() => socket.destroy(), maxDiscardMs)
  }
  function end(): void {
    if (hasEnded) return
    hasEnded = true
    clearTimeout(timer)
    socket.off('close', end)
    Reflect.deleteProperty(socket, 'destroySoon')
    if (isClosing) socket.destroySoon()
  }
  // Node calls this after a response with `connection: close`.
  socket.destroySoon = () => {
    isClosing = true
    socket.end()
    startTimer()
  }
  res.once('finish', startTimer)
  req.once('end', end)
  socket.once('close', end)
}

/**
 * Ends a stream of HTTP/2 some time after the response with RST_STREAM and NO_ERROR (RFC 9113,
 * section 8.1), unless the body has ended before. If it came together with the end of the response,
 * clients would think that the response failed.
 */
function limitStream({ stream }: Http2ServerRequest): void {
  let timer: NodeJS.Timeout | undefined
  stream.once('finish', () => {
    timer = setTimeout(() => {
      stream.close()
      // Otherwise it would stay until its buffered bytes are read.
      stream.destroy()
    }, maxDiscardMs)
  })
  stream.once('close', () => clearTimeout(timer))
}
