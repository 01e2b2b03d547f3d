/** Reads the content of an uploaded file as a stream. */

import {
  ContentTooLargeError,
  InvalidInputError,
  isVaultError,
  RequestTimeoutError,
  UnsupportedMediaTypeError,
} from '../errors.js'
import { withTimeout } from '../with-timeout.js'
import type { HttpRequest } from './message.js'

/** The progress of an upload. */
export interface UploadProgress {
  /** Bytes received so far. */
  readonly received: number
  /** Bytes in total, from `Content-Length`; absent if the client has not sent it. */
  readonly total?: number
}

/** Limits of uploads, and a hook for their progress. */
export interface UploadLimits {
  /** The most bytes of an uploaded file, 0 or more; 104,857,600 if absent. More are 413. */
  readonly maxFileBytes?: number
  /** The most milliseconds between two chunks, 1 or more; 30,000 if absent. More are 408. */
  readonly bodyTimeoutMs?: number
  /**
   * Called after each chunk of an upload. The next chunk is read after its promise is fulfilled. If
   * it throws or rejects, the upload fails with that error.
   */
  onUploadProgress?(progress: UploadProgress, request: HttpRequest): void | Promise<void>
}

/**
 * Returns the body of a request as a stream that is never buffered as a whole, or as the bytes that
 * a body parser has read. The stream fails with ContentTooLargeError (413) beyond `maxFileBytes`,
 * with RequestTimeoutError (408) after `bodyTimeoutMs` without a chunk, and with
 * InvalidInputError (400) if the client disconnects or the length differs from `Content-Length`.
 *
 * @throws ContentTooLargeError (413) if `Content-Length` is more than `maxFileBytes`.
 * @throws UnsupportedMediaTypeError (415) if the body has a content encoding, or if a body
 * parser has converted it to anything but bytes.
 */
export function readUpload(
  request: HttpRequest,
  limits: UploadLimits,
): Uint8Array | ReadableStream<Uint8Array> {
  const { maxFileBytes = 104_857_600 } = limits
  const contentLength = request.header('content-length')
  const total = contentLength === undefined ? undefined : Number(contentLength)
  if (total !== undefined && total > maxFileBytes) throw tooLargeError(maxFileBytes)
  if (hasContentEncoding(request))
    throw new UnsupportedMediaTypeError('the content must not be encoded')
  const { body } = request
  if (body === null) return new Uint8Array(0)
  if (!('parsed' in body)) return limitStream(body, request, { total, maxFileBytes }, limits)
  if (!(body.parsed instanceof Uint8Array))
    throw new UnsupportedMediaTypeError('the content must not be parsed')
  if (body.parsed.length > maxFileBytes) throw tooLargeError(maxFileBytes)
  return body.parsed
}

function limitStream(
  body: AsyncIterable<Uint8Array>,
  request: HttpRequest,
  { total, maxFileBytes }: { readonly total: number | undefined; readonly maxFileBytes: number },
  limits: UploadLimits,
): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  const { bodyTimeoutMs = 30_000 } = limits
  let received = 0

  async function next(): Promise<Uint8Array | undefined> {
    const { done, value } = await withTimeout(chunks.next(), bodyTimeoutMs, timeoutError).catch(
      (error) => {
        throw isVaultError(error) ? error : truncatedError()
      },
    )
    if (done) {
      if (total !== undefined && received !== total) throw truncatedError()
      return undefined
    }
    received += value.length
    if (received > maxFileBytes) throw tooLargeError(maxFileBytes)
    await limits.onUploadProgress?.({ received, ...(total !== undefined && { total }) }, request)
    return value
  }

  /** Does not wait for the source: a stalled one ends only after its next chunk. */
  function cancelSource(): void {
    Promise.resolve(chunks.return?.()).catch(() => {})
  }

  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = await next().catch((error) => {
          cancelSource()
          throw error
        })
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
      cancel: cancelSource,
    },
    { highWaterMark: 0 },
  )
}

function truncatedError(): InvalidInputError {
  return InvalidInputError.at('content', 'must be complete and as long as Content-Length')
}

function tooLargeError(maxFileBytes: number): ContentTooLargeError {
  return new ContentTooLargeError(`the content must not be larger than ${maxFileBytes} bytes`)
}

/** Returns true if the body is declared to have a content encoding, such as `gzip`. */
export function hasContentEncoding(request: HttpRequest): boolean {
  const encoding = request.header('content-encoding')
  return encoding !== undefined && encoding.toLowerCase() !== 'identity'
}

/** The error of a body that arrives too slowly. */
export function timeoutError(): RequestTimeoutError {
  return new RequestTimeoutError('the body did not arrive in time')
}
