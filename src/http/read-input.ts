/** Reads the input of an operation from a request: its JSON body, query, headers and path. */

import { InvalidInputError, RouteNotFoundError } from '../errors.js'
import type { HttpRequest } from './message.js'
import { type BodyLimits, readBody } from './read-body.js'
import { type QueryOptions, readQuery } from './read-query.js'
import { readUpload, type UploadLimits } from './read-upload.js'
import type { Match } from './router.js'
import type { Route } from './routes.js'

/** The input of an operation before it is parsed by the operation's schema. */
export type Input = Record<string, unknown>

/**
 * Reads the body, the query, the headers and the path, in this order; the content of an upload
 * last. A member of the path replaces one of the same name.
 * @throws InvalidInputError, ContentTooLargeError or HttpError for what cannot be read.
 */
export function readInput(
  route: Route,
  match: Match,
  request: HttpRequest,
  limits: BodyLimits & UploadLimits,
  queryOptions: QueryOptions,
): Input | Promise<Input> {
  if (route.body !== undefined)
    return readInputWithBody(route, match, request, limits, queryOptions)
  return addMembers({}, route, match, request, queryOptions)
}

async function readInputWithBody(
  route: Route,
  match: Match,
  request: HttpRequest,
  limits: BodyLimits & UploadLimits,
  queryOptions: QueryOptions,
): Promise<Input> {
  const { body } = route
  if (body === 'content') {
    const upload = readUpload(request, limits)
    const input = addMembers({}, route, match, request, queryOptions)
    // Begun last, because nothing would cancel it after an error. Parameters replace parts of a form.
    return { ...(await upload()), ...input }
  }
  const value = await readBody(request, limits)
  let input: Input = {}
  if (typeof body === 'object') input = pickMembers(value, body)
  else if (body === 'item') input[body] = withVault(value)
  else if (body !== undefined) input[body] = value
  return addMembers(input, route, match, request, queryOptions)
}

/** Adds the members that the query, the headers and the path contain. */
function addMembers(
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
 * Returns the members of a JSON object, without those that have the name of a member of the input
 * that is not read from the body. The service ignores unknown members, or rejects them.
 */
function pickMembers(value: unknown, names: readonly string[]): Input {
  if (!isObject(value)) throw InvalidInputError.at('', 'the body must be an object')
  const members: Input = {}
  for (const [name, member] of Object.entries(value))
    if (names.includes(name) || !/Id$|^(?:ifVersion|__proto__)$/.test(name)) members[name] = member
  return members
}

/**
 * Returns the body with `null` as its vault if it has none: in process the vault of an item can be
 * absent, in a body it cannot.
 */
function withVault(item: unknown): unknown {
  return isObject(item) && !Object.hasOwn(item, 'vault') ? { ...item, vault: null } : item
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Returns the version that `If-Match` requires; undefined for `*`. For a tag that this service does
 * not create, the result is 0, which no item has.
 */
function parseIfMatch(tag: string): number | undefined {
  if (tag === '*') return undefined
  if (!/^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(tag)) {
    throw InvalidInputError.at('If-Match', 'must be one entity tag')
  }
  return /^"[1-9]\d{0,14}"$/.test(tag) ? Number(tag.slice(1, -1)) : 0
}

/** Parses the number of a version in a path. @throws RouteNotFoundError if it is invalid. */
function parseVersionSegment(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new RouteNotFoundError()
  return Number(text)
}

/** Decodes a segment of a path. @throws RouteNotFoundError if it is not UTF-8. */
function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new RouteNotFoundError()
  }
}
