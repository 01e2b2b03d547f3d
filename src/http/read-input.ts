/** Reads the input of an operation from a request: its JSON body, query, headers and path. */

import { routeNotFoundError } from '../base/fixed-errors.js'
import { isObject } from '../base/is-object.js'
import type { OptionValues } from '../base/options.js'
import { InvalidInputError } from '../errors.js'
import { parseIfMatch } from './parse-if-match.js'
import { type bodyLimits, readBody } from './read-body.js'
import { type QueryOptions, readQuery } from './read-query.js'
import { readUpload, type uploadLimits } from './read-upload.js'
import { decodeSegment } from './router.js'
import type { Route } from './routes.js'
import type { RoutedRequest } from './serve-routes.js'

/** The input of an operation before it is parsed by the operation's schema. */
export type Input = Record<string, unknown>

/**
 * Reads the body, the query, the headers and the path, in this order, and the content of an upload
 * last. A member of the path replaces one of the same name.
 * @throws InvalidInputError, ContentTooLargeError, RouteNotFoundError or UnsupportedMediaTypeError if
 * a part cannot be read.
 */
export async function readInput(
  route: Route,
  routed: RoutedRequest,
  limits: OptionValues<typeof bodyLimits.kinds & typeof uploadLimits.kinds>,
  queryOptions: QueryOptions,
): Promise<Input> {
  const { body } = route
  const { request, parameters } = routed
  if (body === 'content') {
    const content = readUpload(request, limits)
    return addParameters({ content }, route, routed, queryOptions)
  }
  let input: Input = {}
  if (body !== undefined) {
    const value = await readBody(request, limits)
    if (typeof body === 'object') input = pickMembers(value, body, parameters, route)
    else input[body] = body === 'item' ? withVault(value) : value
  }
  return addParameters(input, route, routed, queryOptions)
}

/**
 * Adds the members that the query, the headers and the path contain.
 * @returns The input.
 * @throws InvalidInputError or RouteNotFoundError if a part cannot be read.
 */
function addParameters(
  input: Input,
  { query: queryParameters, conditional }: Route,
  { request, parameters, query }: RoutedRequest,
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
  parameters: RoutedRequest['parameters'],
  { pathOnly = [] }: Route,
): Input {
  if (!isObject(value)) throw InvalidInputError.at('', 'the body must be an object')
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

/** Parses the number of a version in a path. @throws RouteNotFoundError if it is invalid. */
function parseVersionSegment(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw routeNotFoundError()
  return Number(text)
}
