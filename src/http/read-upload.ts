/** Reads an uploaded file in chunks. */

import { callback, integer, limit, number } from '../base/argument.js'
import { type Chunks, toChunks } from '../base/blob-content.js'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../base/options.js'
import { toRuleError } from '../base/rule-error.js'
import { withTimeout } from '../base/with-timeout.js'
import {
  ContentTooLargeError,
  InvalidInputError,
  isVaultError,
  RequestTimeoutError,
  UnsupportedMediaTypeError,
} from '../errors.js'
import type { HttpRequest } from './message.js'

/** The progress of an upload. */
export interface UploadProgress {
  /** Bytes received so far. */
  readonly received: number
  /** Bytes in total, from `Content-Length`. Not set if the client did not send that header. */
  readonly total?: number
}

/** Limits of uploads, and a progress hook. */
export interface UploadLimits {
  /**
   * The maximum size of an uploaded file in bytes, 0 or more. A larger file is rejected with 413.
   * Default: 104,857,600.
   */
  readonly maxFileBytes?: number | undefined
  /**
   * The longest gap between two chunks in milliseconds, 1 or more. After a longer gap the upload is
   * rejected with 408. Default: 30,000.
   */
  readonly bodyTimeoutMs?: number | undefined
  /**
   * The lowest average speed of an upload in bytes per second, 0 or more. A slower upload is
   * rejected with 408 once the handler has waited for the client for `bodyTimeoutMs` in total.
   * Default: 1,024.
   */
  readonly minUploadRate?: number | undefined
  /**
   * Called after each chunk of an upload. The next chunk is read when the returned promise is
   * fulfilled. If it throws or rejects with an error of this library, the upload fails with that
   * error, otherwise with a RuleError (500).
   */
  readonly onUploadProgress?:
    | ((progress: UploadProgress, request: HttpRequest) => void | Promise<void>)
    | undefined
}

/** The definition of {@link UploadLimits}. */
export const uploadLimits = defineOptions({
  maxFileBytes: optional(integer({ min: 0 }), 104_857_600),
  bodyTimeoutMs: optional(limit({ min: 1 }), 30_000),
  minUploadRate: optional(number({ min: 0 }), 1024),
  onUploadProgress: optional(callback()),
} satisfies OptionKinds<UploadLimits>)

type Limits = OptionValues<typeof uploadLimits.kinds>

/**
 * Checks the headers of an upload, and returns its content: chunks, which are never all in memory,
 * or the bytes that a body parser has read. Reading begins with the first chunk. The chunks fail
 * with
 * - ContentTooLargeError (413) beyond `maxFileBytes`
 * - RequestTimeoutError (408) after `bodyTimeoutMs` without a chunk, or below `minUploadRate`
 * - InvalidInputError (400) if the client disconnects, or the length differs from `Content-Length`
 *
 * @throws ContentTooLargeError (413) if `Content-Length` is more than `maxFileBytes`.
 * @throws UnsupportedMediaTypeError (415) if the body has a content encoding or the type
 * `multipart/*`, or if a body parser has not kept its bytes.
 */
export function readUpload(request: HttpRequest, limits: Limits): Uint8Array | Chunks {
  const { maxFileBytes } = limits
  const contentLength = request.header('content-length')
  const total = contentLength === undefined ? undefined : Number(contentLength)
  if (total !== undefined && total > maxFileBytes) throw tooLargeError(maxFileBytes)
  if (hasContentEncoding(request))
    throw new UnsupportedMediaTypeError('the content must not be encoded')
  if (/^multipart\//i.test(request.header('content-type') ?? ''))
    throw new UnsupportedMediaTypeError(noMultipart)
  const body = request.body ?? { parsed: new Uint8Array(0) }
  if (body instanceof Uint8Array || !('parsed' in body))
    return limitChunks(body, request, total, limits)
  const { parsed, bytes = parsed } = body
  if (!(bytes instanceof Uint8Array)) throw new UnsupportedMediaTypeError(noExactBytes)
  if (bytes.length > maxFileBytes) throw tooLargeError(maxFileBytes)
  return bytes
}

const noMultipart =
  'a multipart body is not accepted: send the bytes of the file as the body, and its name as ?name='

const noExactBytes =
  'a body parser has read the content: send it as application/octet-stream, ' +
  'or mount the vault before the parser'

/**
 * Returns the chunks of a body. They fail if there are too many or too few bytes, or if they arrive
 * too slowly. `total` is the declared length.
 */
function limitChunks(
  body: Uint8Array | AsyncIterable<Uint8Array>,
  request: HttpRequest,
  total: number | undefined,
  limits: Limits,
): Chunks {
  const source = toChunks(body)
  const { bodyTimeoutMs, maxFileBytes, minUploadRate } = limits
  let received = 0
  let waitedMs = 0

  async function readNext(): Promise<IteratorResult<Uint8Array>> {
    const start = performance.now()
    try {
      return await withTimeout(source.next(), bodyTimeoutMs, timeoutError)
    } catch (error) {
      throw isVaultError(error) ? error : truncatedError()
    } finally {
      waitedMs += performance.now() - start
    }
  }

  /**
   * Returns true if the client is too slow. Waiting for the store or the progress hook does not
   * count.
   */
  function isTooSlow(): boolean {
    return waitedMs > bodyTimeoutMs && received < (minUploadRate * waitedMs) / 1000
  }

  async function* limitLength(): AsyncGenerator<Uint8Array> {
    try {
      for (let next = await readNext(); !next.done; next = await readNext()) {
        received += next.value.length
        if (received > maxFileBytes) throw tooLargeError(maxFileBytes)
        if (isTooSlow()) throw timeoutError()
        const progress = { received, ...(total !== undefined && { total }) }
        try {
          await limits.onUploadProgress?.(progress, request)
        } catch (error) {
          throw toRuleError(error, 'onUploadProgress')
        }
        yield next.value
      }
      if (total !== undefined && received !== total) throw truncatedError()
    } finally {
      source.return()
    }
  }

  return toChunks(limitLength, source.return)
}

function truncatedError(): InvalidInputError {
  return InvalidInputError.at('content', 'must be complete and as long as Content-Length')
}

/** The error of a file that is larger than `maxFileBytes`. */
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
