/** Reads the body of a request: as JSON, or as bytes. */

import { integer, limit } from '../base/argument.js'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../base/options.js'
import { withTimeout } from '../base/with-timeout.js'
import {
  ContentTooLargeError,
  InvalidInputError,
  isVaultError,
  UnsupportedMediaTypeError,
} from '../errors.js'
import { isDeeperThan } from '../schema/parse.js'
import { exceedsElementCount } from './exceeds-element-count.js'
import type { HttpRequest } from './message.js'
import { hasContentEncoding, timeoutError } from './read-upload.js'

/** The elements of shorter bodies are not counted, because such a body is always parsed quickly. */
const minCountedBytes = 65_536

/** How many chunks of a body can have any length. All others must have 64 bytes on average. */
const maxSmallChunks = 16_384
const minChunkBytes = 64

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Limits of JSON bodies. */
export interface BodyLimits {
  /** The maximum size of a body, in bytes. Default: 1,048,576. */
  readonly maxBodyBytes?: number | undefined
  /** The maximum number of nested objects and arrays. Default: 32. */
  readonly maxBodyDepth?: number | undefined
  /**
   * The maximum number of object members and array elements. They are counted only in bodies of
   * more than 65,536 bytes. Default: 32,768.
   */
  readonly maxBodyElements?: number | undefined
  /** How long a body may take to arrive, in milliseconds. Default: 30,000. */
  readonly bodyTimeoutMs?: number | undefined
}

/** The definition of {@link BodyLimits}. */
export const bodyLimits = defineOptions({
  maxBodyBytes: optional(integer({ min: 0 }), 1_048_576),
  maxBodyDepth: optional(integer({ min: 0 }), 32),
  maxBodyElements: optional(integer({ min: 0 }), 32_768),
  bodyTimeoutMs: optional(limit({ min: 1 }), 30_000),
} satisfies OptionKinds<BodyLimits>)

/**
 * Returns the JSON value of the request's body.
 * @throws UnsupportedMediaTypeError (415) if its type is not JSON in UTF-8.
 * @throws RequestTimeoutError (408) if it arrives too slowly.
 * @throws ContentTooLargeError (413) if it is too long.
 * @throws InvalidInputError (400) if it is not JSON, too deep or incomplete, or has too many
 * elements.
 */
export async function readBody(
  request: HttpRequest,
  limits: OptionValues<typeof bodyLimits.kinds>,
): Promise<unknown> {
  const { maxBodyBytes, maxBodyDepth, maxBodyElements, bodyTimeoutMs } = limits
  if (Number(request.header('content-length') ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes)
  const type = request.header('content-type') ?? 'application/json'
  if (type !== 'application/json' || request.header('content-encoding') !== undefined)
    assertJsonContentType(request, type)
  const { body } = request
  if (body === null) throw invalid('must not be empty')
  let content: unknown
  if (body instanceof Uint8Array) content = body
  else if ('parsed' in body) content = body.parsed
  else content = await withTimeout(readBytes(body, maxBodyBytes), bodyTimeoutMs, timeoutError)
  let value = content
  if (content instanceof Uint8Array) {
    const { length } = content
    if (length > maxBodyBytes) throw tooLarge(maxBodyBytes)
    if (length > minCountedBytes && exceedsElementCount(content, maxBodyElements))
      throw invalid(`must not have more than ${maxBodyElements} members and elements`)
    try {
      value = JSON.parse(decoder.decode(content))
    } catch {
      throw invalid('must be JSON in UTF-8')
    }
  }
  if (isDeeperThan(value, maxBodyDepth))
    throw invalid(`must not have more than ${maxBodyDepth} levels`)
  return value
}

const notJson =
  'the body must be JSON in UTF-8: send Content-Type: application/json, and no Content-Encoding'

function assertJsonContentType(request: HttpRequest, contentType: string): void {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  const isJson = /^application\/(?:json|json-patch\+json)$/.test(type.trim())
  const isUtf8 = parameters.every(
    (parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-8"?\s*$/.test(parameter),
  )
  if (!isJson || !isUtf8 || hasContentEncoding(request))
    throw new UnsupportedMediaTypeError(notJson)
}

/**
 * Returns the bytes of the request's body, of any type. Empty if there is no body.
 * @throws ContentTooLargeError (413) if it is too long.
 * @throws RequestTimeoutError (408) if it does not arrive in time.
 * @throws InvalidInputError (400) if it is incomplete.
 * @throws UnsupportedMediaTypeError (415) if a body parser has read it without keeping its bytes.
 */
export async function readBodyBytes(
  request: HttpRequest,
  limits: Pick<OptionValues<typeof bodyLimits.kinds>, 'maxBodyBytes' | 'bodyTimeoutMs'>,
): Promise<Uint8Array> {
  const { maxBodyBytes, bodyTimeoutMs } = limits
  if (Number(request.header('content-length') ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes)
  const { body } = request
  if (body === null) return new Uint8Array()
  if (!(body instanceof Uint8Array || 'parsed' in body))
    return withTimeout(readBytes(body, maxBodyBytes), bodyTimeoutMs, timeoutError)
  const bytes = body instanceof Uint8Array ? body : (body.bytes ?? body.parsed)
  if (!(bytes instanceof Uint8Array)) throw new UnsupportedMediaTypeError(parserError)
  if (bytes.length > maxBodyBytes) throw tooLarge(maxBodyBytes)
  return bytes
}

const parserError = 'a body parser has read the body: mount the handler before the parser'

/**
 * Counts the bytes as they arrive, because the declared length is not trusted. Copies the chunks
 * into one buffer, because a chunk of one byte takes hundreds of bytes.
 */
async function readBytes(
  body: AsyncIterable<Uint8Array>,
  maxBodyBytes: number,
): Promise<Uint8Array> {
  let buffer: Uint8Array = new Uint8Array(0)
  let length = 0
  let count = 0
  try {
    for await (const chunk of body) {
      const end = length + chunk.length
      if (end > maxBodyBytes) throw tooLarge(maxBodyBytes)
      if (++count > maxSmallChunks + end / minChunkBytes)
        throw invalid(`must arrive in chunks of ${minChunkBytes} bytes or more`)
      buffer = append(buffer, length, chunk)
      length = end
    }
  } catch (error) {
    throw isVaultError(error) ? error : invalid('must arrive whole')
  }
  return buffer.subarray(0, length)
}

/**
 * Appends `chunk` at `length`. Returns the same buffer if it is long enough, otherwise one that is
 * twice as long. The first chunk itself becomes the buffer.
 */
function append(buffer: Uint8Array, length: number, chunk: Uint8Array): Uint8Array {
  if (length === 0) return chunk
  const end = length + chunk.length
  const longer = end <= buffer.length ? buffer : new Uint8Array(2 * end)
  if (longer !== buffer) longer.set(buffer.subarray(0, length))
  longer.set(chunk, length)
  return longer
}

function invalid(message: string): InvalidInputError {
  return InvalidInputError.at('', `the body ${message}`)
}

function tooLarge(maxBodyBytes: number): ContentTooLargeError {
  return new ContentTooLargeError(`the body must not be larger than ${maxBodyBytes} bytes`)
}
