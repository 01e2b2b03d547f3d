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

/** An upload, as it is read from a request. */
export interface Upload {
  /** Bytes, or chunks that are read as they arrive. */
  readonly content: Uint8Array | AsyncIterable<Uint8Array>
  /** The name of the file, if the body contains it. */
  readonly name?: string
  /** The id of the section that contains the file, if the body contains it. */
  readonly sectionId?: string
  /** The id of the new file, if the body contains it. */
  readonly fileId?: string
}

/** The form that contains a file. */
export interface MultipartForm {
  /** The value of `Content-Type`, which contains the boundary. */
  readonly contentType: string
  /** Maximum size of the file in bytes. */
  readonly maxFileBytes: number
  /** Maximum size of everything else in the body, in bytes. */
  readonly maxOverheadBytes: number
}

/**
 * Reads a body of type `multipart/*` until the content of its file begins. The content fails if the
 * body is not a complete form.
 */
export type MultipartReader = (body: Upload['content'], form: MultipartForm) => Promise<Upload>

/** Limits of uploads, the reader of forms, and a progress hook. */
export interface UploadLimits {
  /**
   * The maximum size of an uploaded file in bytes, 0 or more. A larger file is rejected with 413.
   * Default: 104,857,600.
   */
  readonly maxFileBytes?: number
  /**
   * The longest gap between two chunks in milliseconds, 1 or more. After a longer gap the upload is
   * rejected with 408. Default: 30,000.
   */
  readonly bodyTimeoutMs?: number
  /**
   * The lowest average speed of an upload in bytes per second, 0 or more. A slower upload is
   * rejected with 408 once the handler has waited for the client for `bodyTimeoutMs` in total.
   * Default: 1,024.
   */
  readonly minUploadRate?: number
  /**
   * Reads uploads of `multipart/form-data`. Pass the result of `multipartUploads` from
   * `cofferkit/multipart`. By default an upload of type `multipart/*` is rejected with 415.
   */
  readonly multipart?: MultipartReader
  /**
   * Called after each chunk of an upload. The next chunk is read when the returned promise is
   * fulfilled. If it throws or rejects with an error of this library, the upload fails with that
   * error, otherwise with a RuleError (500).
   */
  onUploadProgress?(progress: UploadProgress, request: HttpRequest): void | Promise<void>
}

/** The definition of {@link UploadLimits}. */
export const uploadLimits = defineOptions({
  maxFileBytes: optional(integer({ min: 0 }), 104_857_600),
  bodyTimeoutMs: optional(limit({ min: 1 }), 30_000),
  minUploadRate: optional(number({ min: 0 }), 1024),
  multipart: optional(callback()),
  onUploadProgress: optional(callback()),
} satisfies OptionKinds<UploadLimits>)

type Limits = OptionValues<typeof uploadLimits.kinds>

/** The maximum size of a multipart body without its file's content, in bytes. */
const maxOverheadBytes = 65_536

/**
 * Checks the headers of an upload, and returns a function that begins to read it. That function
 * returns the body in chunks, which are never all in memory, or as the bytes that a body parser has
 * read. The chunks fail with
 * - ContentTooLargeError (413) beyond `maxFileBytes`
 * - RequestTimeoutError (408) after `bodyTimeoutMs` without a chunk, or below `minUploadRate`
 * - InvalidInputError (400) if the client disconnects, or the length differs from `Content-Length`
 *
 * For a multipart body, it returns the file with the name and ids in the form, and rejects with
 * InvalidInputError (400) if the form is malformed.
 *
 * @throws ContentTooLargeError (413) if `Content-Length` is more than `maxFileBytes`.
 * @throws UnsupportedMediaTypeError (415) if the body has a content encoding, if a body parser has
 * not kept its bytes, or if it is multipart and there is no reader for that.
 */
export function readUpload(request: HttpRequest, limits: Limits): () => Upload | Promise<Upload> {
  const { maxFileBytes, multipart } = limits
  const contentType = request.header('content-type') ?? ''
  const isMultipart = /^multipart\//i.test(contentType)
  const maxBytes = maxFileBytes + (isMultipart ? maxOverheadBytes : 0)
  const contentLength = request.header('content-length')
  const total = contentLength === undefined ? undefined : Number(contentLength)
  if (total !== undefined && total > maxBytes) throw tooLargeError(maxFileBytes)
  if (hasContentEncoding(request))
    throw new UnsupportedMediaTypeError('the content must not be encoded')
  if (isMultipart && multipart === undefined) throw new UnsupportedMediaTypeError(noMultipart)
  const body = request.body ?? { parsed: new Uint8Array(0) }
  let content: Upload['content']
  if (!(body instanceof Uint8Array) && 'parsed' in body) {
    const { parsed, bytes = parsed } = body
    if (!(bytes instanceof Uint8Array)) throw new UnsupportedMediaTypeError(noExactBytes)
    if (bytes.length > maxBytes) throw tooLargeError(maxFileBytes)
    content = bytes
  } else {
    content = limitChunks(body, request, { total, maxFileBytes, maxBytes }, limits)
  }
  return isMultipart && multipart !== undefined
    ? () => multipart(content, { contentType, maxFileBytes, maxOverheadBytes })
    : () => ({ content })
}

const noMultipart =
  'a multipart body is not accepted: send the bytes of the file as the body, and its name as ?name='

const noExactBytes =
  'a body parser has read the content: send it as application/octet-stream, ' +
  'or mount the vault before the parser'

/** The limits of one content. */
interface ContentLimits {
  /** The declared length. */
  readonly total: number | undefined
  readonly maxFileBytes: number
  /** Maximum size of the body in bytes. */
  readonly maxBytes: number
}

/**
 * Returns the chunks of a body. They fail if there are too many or too few bytes, or if they arrive
 * too slowly.
 */
function limitChunks(
  body: Upload['content'],
  request: HttpRequest,
  { total, maxFileBytes, maxBytes }: ContentLimits,
  limits: Limits,
): Chunks {
  const source = toChunks(body)
  const { bodyTimeoutMs, minUploadRate } = limits
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
        if (received > maxBytes) throw tooLargeError(maxFileBytes)
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

  return toChunks(limitLength(), source.return)
}

function truncatedError(): InvalidInputError {
  return InvalidInputError.at('content', 'must be complete and as long as Content-Length')
}

/** The error of a file that is larger than `maxFileBytes`. */
export function tooLargeError(maxFileBytes: number): ContentTooLargeError {
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
