/** The bytes of an uploaded file, as they come. */

import { ContentTooLargeError, HttpError, InvalidInputError, isVaultError } from '../errors.js'
import { withTimeout } from '../with-timeout.js'
import type { HttpRequest } from './message.js'
import { hasContentEncoding, timeoutError } from './read-body.js'

/** How far an upload has come. */
export interface UploadProgress {
  /** Bytes so far. */
  readonly received: number
  /** Bytes in all, if the client has said it in `Content-Length`. */
  readonly total?: number
}

/** How much of an upload is taken. */
export interface UploadLimits {
  /** Bytes of an uploaded file; 104,857,600 if absent. */
  readonly maxFileBytes?: number
  /** Milliseconds from one part of an upload to the next; 30,000 if absent. */
  readonly bodyTimeoutMs?: number
  /**
   * Told as an upload comes in, and waited for before more is read. What it throws, or rejects with, makes the upload
   * fail.
   */
  onUploadProgress?(progress: UploadProgress, request: HttpRequest): void | Promise<void>
}

/**
 * The request's body as a stream that nothing holds as a whole. It fails with ContentTooLargeError beyond the limit, with
 * HttpError 408 if it stands still, and with InvalidInputError if it breaks off or is not as long as `Content-Length`
 * says.
 * @throws ContentTooLargeError if it says it is too long; HttpError 415 if the bytes are encoded, or a body parser has
 * made something else of them.
 */
export function readUpload(
  request: HttpRequest,
  limits: UploadLimits,
): Uint8Array | ReadableStream<Uint8Array> {
  const { maxFileBytes = 104_857_600 } = limits
  const declaredLength = request.header('content-length')
  const total = declaredLength === undefined ? undefined : Number(declaredLength)
  if (total !== undefined && total > maxFileBytes) throw tooLarge(maxFileBytes)
  if (hasContentEncoding(request))
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'the content must not be encoded')
  const { body } = request
  if (body === null) return new Uint8Array(0)
  if (!('parsed' in body))
    return limitStream(body, request, { total, fileLimit: maxFileBytes }, limits)
  if (!(body.parsed instanceof Uint8Array))
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'the content must not be parsed')
  if (body.parsed.length > maxFileBytes) throw tooLarge(maxFileBytes)
  return body.parsed
}

function limitStream(
  body: AsyncIterable<Uint8Array>,
  request: HttpRequest,
  {
    total,
    fileLimit: maxFileBytes,
  }: { readonly total: number | undefined; readonly fileLimit: number },
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
    if (received > maxFileBytes) throw tooLarge(maxFileBytes)
    await limits.onUploadProgress?.({ received, ...(total !== undefined && { total }) }, request)
    return value
  }

  /** Not waited for: a source that stands still does not hear of it before it goes on. */
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
  return InvalidInputError.at('content', 'must arrive whole, as long as Content-Length says')
}

function tooLarge(maxFileBytes: number): ContentTooLargeError {
  return new ContentTooLargeError(`the content must not be larger than ${maxFileBytes} bytes`)
}
