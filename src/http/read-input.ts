/** Reads the input of an operation from a request: its JSON body, query, headers and path. */

import { integer, limit } from '../base/argument.js'
import { routeNotFoundError } from '../base/fixed-errors.js'
import { isObject } from '../base/is-object.js'
import { defineOptions, type OptionKinds, type OptionValues, optional } from '../base/options.js'
import { withTimeout } from '../base/with-timeout.js'
import {
  ContentTooLargeError,
  InvalidInputError,
  isVaultError,
  UnsupportedMediaTypeError,
} from '../errors.js'
import { isDeeperThan } from '../schema/parse.js'
import type { HttpRequest } from './message.js'
import { type QueryOptions, readQuery } from './read-query.js'
import { hasContentEncoding, readUpload, timeoutError, type uploadLimits } from './read-upload.js'
import type { Match } from './router.js'
import type { Route } from './routes.js'

/** The input of an operation before it is parsed by the operation's schema. */
export type Input = Record<string, unknown>

/**
 * Reads the body, the query, the headers and the path, in this order, and the content of an upload
 * last. A member of the path replaces one of the same name.
 * @throws InvalidInputError, ContentTooLargeError, RouteNotFoundError or UnsupportedMediaTypeError if a part cannot be read.
 */
export async function readInput(
  route: Route,
  match: Match,
  request: HttpRequest,
  limits: OptionValues<typeof bodyLimits.kinds & typeof uploadLimits.kinds>,
  queryOptions: QueryOptions,
): Promise<Input> {
  const { body } = route
  if (body === 'content') {
    const content = readUpload(request, limits)
    return addParameters({ content }, route, match, request, queryOptions)
  }
  let input: Input = {}
  if (body !== undefined) {
    const value = await readBody(request, limits)
    if (typeof body === 'object') input = pickMembers(value, body, match.parameters, route)
    else input[body] = body === 'item' ? withVault(value) : value
  }
  return addParameters(input, route, match, request, queryOptions)
}

/**
 * Adds the members that the query, the headers and the path contain.
 * @returns The input.
 * @throws InvalidInputError or UnsupportedMediaTypeError if a part cannot be read.
 */
function addParameters(
  input: Input,
  { query: queryParameters, conditional }: Route,
  { parameters, query }: Match,
  request: HttpRequest,
  queryOptions: QueryOptions,
): Input {
  if (queryParameters !== undefined && query !== '')
    readQuery(queryParameters, query, input, queryOptions)
  const tag = conditional ? request.header('if-match') : undefined
  if (tag !== undefined) input['ifVersion'] = parseIfMatch(tag)
  Object.assign(input, parameters)
  const { version, fieldId } = parameters
  if (version !== undefined) input['version'] = parseVersionSegment(version)
  if (fieldId !== undefined) input['fieldId'] = decodeSegment(fieldId)
  return input
}

/**
 * Returns the members of a JSON object, except those named like an input member that is not read
 * from the body. The service ignores or rejects unknown members.
 * @throws InvalidInputError if the value is not an object, or has an id that belongs only into the
 * path.
 */
function pickMembers(
  value: unknown,
  names: readonly string[],
  parameters: Match['parameters'],
  { pathOnly = [] }: Route,
): Input {
  if (!isObject(value)) throw invalid('must be an object')
  const members: Input = {}
  for (const [name, member] of Object.entries(value)) {
    if (pathOnly.includes(name)) {
      if (member === parameters['vaultId']) continue
      throw InvalidInputError.at(name, 'must be the id in the path: PUT /v1/vaults/{vaultId}')
    }
    if (names.includes(name) || !/Id$|^(?:ifVersion|__proto__)$/.test(name)) members[name] = member
  }
  return members
}

/**
 * Sets the vault of a body to `null` if there is none, because an item may leave its vault out in
 * process but not in a body.
 */
function withVault(item: unknown): unknown {
  return isObject(item) && !Object.hasOwn(item, 'vault') ? { ...item, vault: null } : item
}

/**
 * Returns the version that `If-Match` requires, or undefined for `*`. For a tag that this service
 * never creates, returns 0, a version that no item has.
 * @throws InvalidInputError if it is not exactly one entity tag.
 */
function parseIfMatch(tag: string): number | undefined {
  if (tag === '*') return undefined
  if (!/^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(tag))
    throw InvalidInputError.at('If-Match', 'must be one entity tag')
  return /^"[1-9]\d{0,14}"$/.test(tag) ? Number(tag.slice(1, -1)) : 0
}

/** Parses the number of a version in a path. @throws RouteNotFoundError if it is invalid. */
function parseVersionSegment(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw routeNotFoundError()
  return Number(text)
}

/** Decodes a segment of a path. @throws RouteNotFoundError if it is not UTF-8. */
function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw routeNotFoundError()
  }
}

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
 * Returns the offset of the quote that ends the string beginning at `start`, or the length of the
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
