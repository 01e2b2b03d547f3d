/** What the service answers, as OpenAPI describes it: one response for each status of an error, and the headers. */

import { type ErrorCode, errorStatuses } from '../../error-codes.js'
import type { Route } from '../routes.js'
import { routeErrors } from '../routes.js'
import type { JsonObject } from './document.js'
import { componentPath, ref } from './document.js'
import type { OperationJsonSchemas } from './json-schema.js'

type ErrorStatus = (typeof errorStatuses)[ErrorCode]

interface ErrorResponse {
  /** The name that RFC 9110 gives the status. */
  readonly name: string
  readonly description: string
  /** The header that comes with it, besides that of every answer. */
  readonly header?: HeaderName
}

const errorResponses: Readonly<Record<ErrorStatus, ErrorResponse>> = {
  400: { name: 'BadRequest', description: 'The input breaks the contract.' },
  401: {
    name: 'Unauthorized',
    description: 'There is no token, or none that is valid.',
    header: 'WWW-Authenticate',
  },
  403: {
    name: 'Forbidden',
    description: 'The vault is not in the scope of the token, whether or not it is there.',
  },
  404: { name: 'NotFound', description: 'What the path names is not there.' },
  405: {
    name: 'MethodNotAllowed',
    description: 'The path has no such method: the service does not offer extensions.',
    header: 'Allow',
  },
  408: { name: 'RequestTimeout', description: 'The body did not arrive in time.' },
  409: {
    name: 'Conflict',
    description: 'The place is taken, or others changed it at the same time; later it may succeed.',
    header: 'Retry-After',
  },
  412: {
    name: 'PreconditionFailed',
    description: 'What is stored is not at the version that If-Match names.',
  },
  413: {
    name: 'ContentTooLarge',
    description: 'The body, the file to inline or the items are too large.',
  },
  415: { name: 'UnsupportedMediaType', description: 'The body is of a type that is not read.' },
  429: {
    name: 'TooManyRequests',
    description: 'A limit of requests is reached; later it may succeed.',
    header: 'Retry-After',
  },
  500: { name: 'InternalServerError', description: 'The fault is not with the client.' },
  503: {
    name: 'ServiceUnavailable',
    description: 'The store, its log or the authenticator does not answer; later it may.',
    header: 'Retry-After',
  },
}

const string = { type: 'string' }

/** Every header that a client may need. Where one is described it is always there, but for `Link`. */
const headers = {
  'X-Request-Id': {
    description: 'As it was sent, or made anew.',
    schema: { type: 'string', pattern: '^[\\w.-]{1,128}$' },
  },
  ETag: {
    description:
      'The `version` of the item or `attributeVersion` of the vault, to be sent as If-Match.',
    schema: { type: 'string', pattern: '^"[1-9]\\d*"$' },
  },
  Link: {
    description: 'The next page (RFC 8288), if this one is as long as its limit.',
    schema: string,
  },
  'Content-Range': {
    description: 'Which part of the log it is, such as `1-50/1134`; `*/1134` for none of it.',
    schema: { type: 'string', pattern: '^(?:\\d+-\\d+|\\*)/\\d+$' },
  },
  'Content-Length': { description: 'Bytes.', schema: { type: 'integer', minimum: 0 } },
  'Content-Disposition': {
    description: 'The name of the file (RFC 6266), shortened to 255 characters.',
    schema: string,
  },
  'WWW-Authenticate': { description: 'How to say who asks.', schema: string },
  'Retry-After': {
    description: 'Seconds after which to try again.',
    schema: { type: 'integer', minimum: 0 },
  },
  Allow: { description: 'The methods that the path has.', schema: string },
} as const

type HeaderName = keyof typeof headers

/** The responses to a route's requests by their statuses; those to errors are references. */
export function responsesOf(
  route: Route,
  { output }: OperationJsonSchemas,
  foreseen: readonly ErrorCode[],
): Readonly<Record<string, JsonObject>> {
  const statuses = new Set(routeErrors(route, foreseen).map((code) => errorStatuses[code]))
  const errors = [...statuses].map((status) => [
    status,
    ref('responses', errorResponses[status].name),
  ])
  return { ...success(route, output), ...Object.fromEntries(errors) }
}

/** A response with a body in JSON. */
export function jsonResponse(
  description: string,
  schema: JsonObject | undefined,
  ...names: readonly HeaderName[]
): JsonObject {
  return response(description, { content: { 'application/json': { schema } } }, ...names)
}

/** A response with a body in plain text. */
export function textResponse(description: string): JsonObject {
  return response(description, { content: { 'text/plain': { schema: string } } })
}

/** Every header, as components. */
export function headerComponents(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [
      name,
      { ...header, ...(name !== 'Link' && { required: true }) },
    ]),
  )
}

/** Every response to an error, as components. */
export function errorComponents(): Readonly<Record<string, JsonObject>> {
  const body = ref('schemas', 'ErrorBody')
  return Object.fromEntries(
    Object.values(errorResponses).map(({ name, description, header }) => [
      name,
      jsonResponse(description, body, ...(header === undefined ? [] : [header])),
    ]),
  )
}

function success(
  { operation, query }: Route,
  output: JsonObject | undefined,
): Readonly<Record<string, JsonObject>> {
  if (operation === 'readFileContent')
    return { 200: response('The bytes.', binaryBody, 'Content-Length', 'Content-Disposition') }
  if (output === undefined) return { 204: response('Done.', {}) }
  if (operation === 'listActivity') {
    const { entries } = output['properties'] as Record<string, JsonObject>
    return { 200: jsonResponse('The entries, newest first.', entries, 'Content-Range') }
  }
  if (['Item', 'Vault'].some((shape) => output['$ref'] === componentPath('schemas', shape)))
    return { 200: jsonResponse('It, with its version as the ETag.', output, 'ETag') }
  if (query !== undefined && 'limit' in query)
    return { 200: jsonResponse('In the order of their ids.', output, 'Link') }
  return { 200: jsonResponse('What is known.', output) }
}

/** A body of bytes. */
export const binaryBody = {
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
}

function response(
  description: string,
  content: JsonObject,
  ...names: readonly HeaderName[]
): JsonObject {
  const all = ['X-Request-Id', ...names].map((name) => [name, ref('headers', name)])
  return { description, headers: Object.fromEntries(all), ...content }
}
