/** Makes the input of an operation out of a request. */

import { InvalidInputError, RouteNotFoundError } from '../errors.js'
import type { HttpRequest } from './message.js'
import { type BodyLimits, readBody } from './read-body.js'
import { type QueryOptions, readQuery } from './read-query.js'
import { readUpload, type UploadLimits } from './read-upload.js'
import type { Match } from './router.js'
import type { Route } from './routes.js'

/** The input of an operation, still to be read by it. */
export type Input = Record<string, unknown>

/**
 * What the body, the query, the headers and the path say, read in this order. The path has the last word.
 * @throws InvalidInputError, ContentTooLargeError or HttpError for what cannot be read.
 */
export async function readInput(
  { body, query: known, conditional }: Route,
  { parameters, query }: Match,
  request: HttpRequest,
  limits: BodyLimits & UploadLimits,
  reading: QueryOptions,
): Promise<Input> {
  const input: Input = {}
  if (typeof body === 'object')
    Object.assign(input, pickMembers(await readBody(request, limits), body))
  else if (body === 'content') input[body] = readUpload(request, limits)
  else if (body !== undefined) input[body] = await readBody(request, limits)
  if (known !== undefined && query !== '') readQuery(known, query, input, reading)
  const tag = conditional ? request.header('if-match') : undefined
  if (tag !== undefined) input['ifVersion'] = parseIfMatch(tag)
  Object.assign(input, parameters)
  if (parameters['version'] !== undefined)
    input['version'] = parseVersionSegment(parameters['version'])
  return input
}

/** The members of a JSON object that are wanted; null stands for none where the operation takes it so. */
function pickMembers(value: unknown, names: readonly string[]): Input {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw InvalidInputError.at('', 'the body must be an object')
  const members: Input = {}
  for (const name of names) if (Object.hasOwn(value, name)) members[name] = Reflect.get(value, name)
  return members
}

/** The version that `If-Match` asks for; 0, which no item has, for a tag that this service never gave. */
function parseIfMatch(tag: string): number | undefined {
  if (tag === '*') return undefined
  if (!/^(?:W\/)?"[\x21\x23-\x7e]*"$/.test(tag)) {
    throw InvalidInputError.at('If-Match', 'must be one entity tag')
  }
  return /^"[1-9]\d{0,14}"$/.test(tag) ? Number(tag.slice(1, -1)) : 0
}

/** The number of a version in a path. */
function parseVersionSegment(text: string): number {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new RouteNotFoundError()
  return Number(text)
}
