/** Turns the bytes of a body into JSON, and no more. */

import { ContentTooLargeError, HttpError, InvalidInputError, isVaultError } from '../errors.js'
import { isDeeperThan } from '../schema/parse.js'
import { withTimeout } from '../with-timeout.js'
import type { HttpRequest } from './message.js'

/** Bytes of a body that is parsed in no time, whatever it holds. */
const minCountedBytes = 65_536

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** How much of a body is read. */
export interface BodyLimits {
  /** Bytes; 1,048,576 if absent. */
  readonly maxBodyBytes?: number
  /** Levels of objects and arrays; 32 if absent. */
  readonly maxBodyDepth?: number
  /** Members of objects and elements of arrays, counted in bodies of more than 65,536 bytes; 32,768 if absent. */
  readonly maxBodyElements?: number
  /** Milliseconds until the last byte; 30,000 if absent. */
  readonly bodyTimeoutMs?: number
}

/**
 * The JSON value of the request's body.
 * @throws HttpError 415 if it is announced as anything but JSON in UTF-8, 408 if it comes too slowly;
 * ContentTooLargeError if it is too long; InvalidInputError if it is no JSON, or too deep.
 */
export async function readBody(request: HttpRequest, limits: BodyLimits): Promise<unknown> {
  const { maxBodyBytes = 1_048_576, maxBodyDepth = 32 } = limits
  if (Number(request.header('content-length') ?? 0) > maxBodyBytes) throw tooLarge(maxBodyBytes)
  assertJsonContentType(request)
  const value = await valueOf(request.body, maxBodyBytes, limits)
  if (isDeeperThan(value, maxBodyDepth))
    throw invalid(`must not have more than ${maxBodyDepth} levels`)
  return value
}

function assertJsonContentType(request: HttpRequest): void {
  const [type = '', ...parameters] = (request.header('content-type') ?? 'application/json')
    .toLowerCase()
    .split(';')
  const isJson = /^application\/(?:json|json-patch\+json)$/.test(type.trim())
  const isUtf8 = parameters.every(
    (parameter) => !/^\s*charset\s*=/.test(parameter) || /=\s*"?utf-8"?\s*$/.test(parameter),
  )
  if (!isJson || !isUtf8 || hasContentEncoding(request))
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', 'the body must be JSON in UTF-8')
}

/** Whether the body's bytes are said to be compressed, or to be anything but themselves. */
export function hasContentEncoding(request: HttpRequest): boolean {
  return (request.header('content-encoding') ?? 'identity').toLowerCase() !== 'identity'
}

async function valueOf(
  body: HttpRequest['body'],
  maxBodyBytes: number,
  { maxBodyElements = 32_768, bodyTimeoutMs = 30_000 }: BodyLimits,
): Promise<unknown> {
  if (body === null) throw invalid('must not be empty')
  if (!('parsed' in body)) {
    const bytes = await withTimeout(readBytes(body, maxBodyBytes), bodyTimeoutMs, timeoutError)
    return parseJson(bytes, maxBodyElements)
  }
  if (!(body.parsed instanceof Uint8Array)) return body.parsed
  if (body.parsed.length > maxBodyBytes) throw tooLarge(maxBodyBytes)
  return parseJson(body.parsed, maxBodyElements)
}

/** Counts the bytes as they arrive; what a client said of their number is not believed. Who hangs up is at fault himself. */
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
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : joined(chunks, length)
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let start = 0
  for (const chunk of chunks) {
    bytes.set(chunk, start)
    start += chunk.length
  }
  return bytes
}

function parseJson(bytes: Uint8Array, maxBodyElements: number): unknown {
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

/** The error of a body that comes too slowly. */
export function timeoutError(): HttpError {
  return new HttpError('REQUEST_TIMEOUT', 'the body did not arrive in time')
}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openBracket = 0x5b
const openBrace = 0x7b

/**
 * Whether the bytes of a JSON text hold more than `limit` members of objects and elements of arrays. Of bytes that are
 * no JSON it says something, too, in time linear in their number; nothing is kept.
 */
export function exceedsElementCount(json: Uint8Array, limit: number): boolean {
  let count = 0
  for (let ref = 0; ref < json.length; ref++) {
    const byte = json[ref]
    if (byte === quote) ref = skipString(json, ref)
    else if (byte === comma || byte === openBracket || byte === openBrace) count++
    if (count > limit) return true
  }
  return false
}

/** The place of the quote that ends the string which begins at `start`; the end of all if there is none. */
function skipString(json: Uint8Array, start: number): number {
  for (let ref = start + 1; ; ref++) {
    ref = json.indexOf(quote, ref)
    if (ref < 0) return json.length
    let slashes = 0
    while (json[ref - 1 - slashes] === backslash) slashes++
    if (slashes % 2 === 0) return ref
  }
}
