/** Reads a JSON body within limits. */

import {
  ContentTooLargeError,
  InvalidInputError,
  isVaultError,
  UnsupportedMediaTypeError,
} from '../errors.js'
import { isDeeperThan } from '../schema/parse.js'
import { withTimeout } from '../with-timeout.js'
import type { HttpRequest } from './message.js'
import { hasContentEncoding, timeoutError } from './read-upload.js'

/** The elements of shorter bodies are not counted: any such body is parsed quickly. */
const minCountedBytes = 65_536

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Limits of JSON bodies. */
export interface BodyLimits {
  /** Bytes; 1,048,576 if absent. */
  readonly maxBodyBytes?: number
  /** Levels of objects and arrays; 32 if absent. */
  readonly maxBodyDepth?: number
  /**
   * Members of objects and elements of arrays, counted in bodies of more than 65,536 bytes; 32,768
   * if absent.
   */
  readonly maxBodyElements?: number
  /** Milliseconds until the last byte; 30,000 if absent. */
  readonly bodyTimeoutMs?: number
}

/**
 * Returns the JSON value of the request's body.
 * @throws UnsupportedMediaTypeError (415) if its type is not JSON in UTF-8; RequestTimeoutError
 * (408) if it arrives too slowly; ContentTooLargeError if it is too long; InvalidInputError if it
 * is not JSON, too deep, has too many elements, or is not complete.
 */
export async function readBody(request: HttpRequest, limits: BodyLimits): Promise<unknown> {
  const { maxBodyBytes = 1_048_576, maxBodyDepth = 32, bodyTimeoutMs = 30_000 } = limits
  if (Number(request.header('content-length') ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes)
  const type = request.header('content-type') ?? 'application/json'
  if (type !== 'application/json' || request.header('content-encoding') !== undefined)
    assertJsonContentType(request, type)
  const { body } = request
  if (body === null) throw invalid('must not be empty')
  let content: unknown
  if ('parsed' in body) content = body.parsed
  else {
    // `node:http` delivers a body that came with its headers before the next microtask.
    await undefined
    content =
      body.takeArrived?.() ??
      (await withTimeout(readBytes(body, maxBodyBytes), bodyTimeoutMs, timeoutError))
  }
  const value = content instanceof Uint8Array ? parseJson(content, limits) : content
  if (isDeeperThan(value, maxBodyDepth))
    throw invalid(`must not have more than ${maxBodyDepth} levels`)
  return value
}

function assertJsonContentType(request: HttpRequest, contentType: string): void {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';')
  const isJson = /^application\/(?:json|json-patch\+json)$/.test(type.trim())
  const isUtf8 = parameters.every(
    (parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-8"?\s*$/.test(parameter),
  )
  if (!isJson || !isUtf8 || hasContentEncoding(request))
    throw new UnsupportedMediaTypeError('the body must be JSON in UTF-8')
}

/** Counts the bytes as they arrive: the declared length is not trusted. */
async function readBytes(
  body: AsyncIterable<Uint8Array>,
  maxBodyBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of body) {
      length += chunk.length
      if (length > maxBodyBytes) throw tooLarge(maxBodyBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    throw isVaultError(error) ? error : invalid('must arrive whole')
  }
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : concatChunks(chunks, length)
}

function concatChunks(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let start = 0
  for (const chunk of chunks) {
    bytes.set(chunk, start)
    start += chunk.length
  }
  return bytes
}

/** @throws ContentTooLargeError or InvalidInputError */
function parseJson(bytes: Uint8Array, limits: BodyLimits): unknown {
  const { maxBodyBytes = 1_048_576, maxBodyElements = 32_768 } = limits
  if (bytes.length > maxBodyBytes) throw tooLarge(maxBodyBytes)
  if (bytes.length > minCountedBytes && exceedsElementCount(bytes, maxBodyElements))
    throw invalid(`must not have more than ${maxBodyElements} members and elements`)
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch {
    throw invalid('must be JSON in UTF-8')
  }
}

function invalid(message: string): InvalidInputError {
  return InvalidInputError.at('', `the body ${message}`)
}

function tooLarge(maxBodyBytes: number): ContentTooLargeError {
  return new ContentTooLargeError(`the body must not be larger than ${maxBodyBytes} bytes`)
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const openBrace = 0x7b

/**
 * Returns true if a JSON text has more than `limit` members of objects and elements of arrays, in
 * linear time and without allocation. An empty object or array counts as one. For bytes that are
 * not JSON, the result is unspecified.
 */
export function exceedsElementCount(json: Uint8Array, limit: number): boolean {
  let count = 0
  for (let offset = 0; offset < json.length; offset++) {
    const byte = json[offset]
    if (byte === quote) offset = skipString(json, offset)
    else if (byte === comma || byte === openBracket || byte === openBrace) count++
    if (count > limit) return true
  }
  return false
}

/**
 * Returns the offset of the quote that ends the string which begins at `start`; the length of the
 * text if the string does not end.
 */
function skipString(json: Uint8Array, start: number): number {
  for (let offset = start + 1; ; offset++) {
    offset = json.indexOf(quote, offset)
    if (offset < 0) return json.length
    let slashes = 0
    while (json[offset - 1 - slashes] === backslash) slashes++
    if (slashes % 2 === 0) return offset
  }
}
