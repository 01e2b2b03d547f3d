/** The OpenAPI objects of responses: successful responses, errors by status, and headers. */

import { type ErrorCode, errorStatuses } from '../../src/errors.js'
import { type Route, routes } from '../../src/http/routes.js'
import { componentPath, type JsonObject, ref } from './document.js'
import type { OperationJsonSchemas } from './json-schema.js'

/** The status of an error of a route. No operation verifies credentials. */
type ErrorStatus = (typeof errorStatuses)[Exclude<ErrorCode, 'CREDENTIAL_REJECTED'>]

interface ErrorResponse {
  /** The name of the status in RFC 9110. */
  readonly name: string
  readonly description: string
  /** The header that the response has besides `X-Request-Id`. */
  readonly header?: HeaderName
}

const errorResponses: Readonly<Record<ErrorStatus, ErrorResponse>> = {
  400: { name: 'BadRequest', description: 'The input is invalid.' },
  401: {
    name: 'Unauthorized',
    description: 'The token is missing or invalid.',
    header: 'WWW-Authenticate',
  },
  403: {
    name: 'Forbidden',
    description: 'The vault is not in the scope of the token, whether or not it exists.',
  },
  404: {
    name: 'NotFound',
    description: 'The vault, item, file or version in the path does not exist.',
  },
  405: {
    name: 'MethodNotAllowed',
    description: 'The path has no such method without the option `extensions`.',
    header: 'Allow',
  },
  408: { name: 'RequestTimeout', description: 'The body did not arrive in time.' },
  409: {
    name: 'Conflict',
    description: 'The id is in use, or there were too many concurrent changes. Try again later.',
    header: 'Retry-After',
  },
  412: {
    name: 'PreconditionFailed',
    description: 'The stored version does not match `If-Match`.',
  },
  413: {
    name: 'ContentTooLarge',
    description: 'The body, the file to inline or the requested items are too large.',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The media type or the encoding of the body is not supported.',
  },
  429: {
    name: 'TooManyRequests',
    description: 'A rate limit is exceeded. Try again later.',
    header: 'Retry-After',
  },
  500: {
    name: 'InternalServerError',
    description:
      'The service or its store has failed. If a record is damaged, the message names it.',
  },
  503: {
    name: 'ServiceUnavailable',
    description: 'The store, activity log or authenticator is unavailable. Try again later.',
    header: 'Retry-After',
  },
}

const stringSchema = { type: 'string' }

/** The headers of responses. A response that lists one always has it, except the optional ones. */
const headers = {
  'X-Request-Id': {
    description: 'The id of the request: the one that was sent, if it is valid, or a new one.',
    schema: { type: 'string', pattern: '^[\\w.-]{1,128}$' },
  },
  ETag: {
    description:
      'The `version` of the item or the `attributeVersion` of the vault, for use in `If-Match`.',
    schema: { type: 'string', pattern: '^"[1-9]\\d*"$' },
  },
  Link: {
    description: 'The next page (RFC 8288), which can be empty. Absent from the last page.',
    schema: stringSchema,
  },
  'X-Permissions': {
    description:
      'With `Prefer: permissions`: `create` if the caller can create vaults, else nothing.',
    schema: { type: 'string', pattern: '^(?:create)?$' },
  },
  'Content-Range': {
    description:
      'The part of the log that is returned, such as `1-50/1134`; `*/1134` if empty. The total is `*` if it is more than 10,000, and with a filter.',
    schema: { type: 'string', pattern: '^(?:\\d+-\\d+|\\*)/(?:\\d+|\\*)$' },
  },
  'X-Cofferkit-Unreadable': {
    description:
      'The number of damaged records that are left out, or that could not be processed. Absent if 0.',
    schema: { type: 'integer', minimum: 1 },
  },
  'Content-Length': {
    description: 'The number of bytes.',
    schema: { type: 'integer', minimum: 0 },
  },
  'Content-Disposition': {
    description: 'The name of the file (RFC 6266), shortened to 255 characters.',
    schema: stringSchema,
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme, such as `Bearer`. A login with cookies has none.',
    schema: stringSchema,
  },
  'Retry-After': {
    description: 'The seconds to wait before trying again.',
    schema: { type: 'integer', minimum: 0 },
  },
  Allow: { description: 'The methods that the path has.', schema: stringSchema },
} as const

type HeaderName = keyof typeof headers

const optionalHeaders: readonly string[] = [
  'Link',
  'X-Permissions',
  'X-Cofferkit-Unreadable',
  'WWW-Authenticate',
]

/** The operations that leave unreadable records out. */
const leavesOut: readonly string[] = [
  'listVaults',
  'listItems',
  'listVersions',
  'listActivity',
  'collectGarbage',
]

/** Returns the responses of a route by status. Error responses are references to components. */
export function responsesOf(
  route: Route,
  { output }: OperationJsonSchemas,
  operationErrors: readonly ErrorCode[],
): Readonly<Record<string, JsonObject>> {
  const statuses = new Set(
    routeErrors(route, operationErrors).flatMap((code) =>
      code === 'CREDENTIAL_REJECTED' ? [] : errorStatuses[code],
    ),
  )
  const errors = [...statuses].map((status) => [
    status,
    ref('responses', errorResponses[status].name),
  ])
  return { ...successResponse(route, output), ...Object.fromEntries(errors) }
}

/** Creates a response with a JSON body. */
export function jsonResponse(
  description: string,
  schema: JsonObject | undefined,
  ...names: readonly HeaderName[]
): JsonObject {
  return response(description, { content: { 'application/json': { schema } } }, ...names)
}

/** Creates a response with a plain text body. */
export function textResponse(description: string): JsonObject {
  return response(description, { content: { 'text/plain': { schema: stringSchema } } })
}

/** Returns all headers as components. */
export function headerComponents(): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, header]) => [
      name,
      { ...header, ...(!optionalHeaders.includes(name) && { required: true }) },
    ]),
  )
}

/** Returns all error responses as components. */
export function errorComponents(): Readonly<Record<string, JsonObject>> {
  const body = ref('schemas', 'ErrorBody')
  return Object.fromEntries(
    Object.values(errorResponses).map(({ name, description, header }) => [
      name,
      jsonResponse(description, body, ...(header === undefined ? [] : [header])),
    ]),
  )
}

function successResponse(
  { operation, query }: Route,
  output: JsonObject | undefined,
): Readonly<Record<string, JsonObject>> {
  const unreadable: readonly HeaderName[] = leavesOut.includes(operation)
    ? ['X-Cofferkit-Unreadable']
    : []
  const next: readonly HeaderName[] = query !== undefined && 'after' in query ? ['Link'] : []
  if (operation === 'readFileContent')
    return {
      200: response(
        'The content of the file.',
        binaryBody,
        'Content-Length',
        'Content-Disposition',
      ),
    }
  if (output === undefined) return { 204: response('The call has succeeded.', {}) }
  if (operation === 'listActivity') {
    const { entries } = output['properties'] as Record<string, JsonObject>
    return {
      200: jsonResponse(
        'The entries in descending order of time.',
        entries,
        'Content-Range',
        ...next,
        ...unreadable,
      ),
    }
  }
  if (
    ['Item', 'ItemDescription', 'Vault'].some(
      (name) => output['$ref'] === componentPath('schemas', name),
    )
  )
    return {
      200: jsonResponse('The item or the vault, with its version in `ETag`.', output, 'ETag'),
    }
  if (next.length > 0) {
    const own: readonly HeaderName[] = operation === 'listVaults' ? ['X-Permissions'] : []
    return {
      200: jsonResponse(
        'The list in ascending order of ids.',
        output,
        ...next,
        ...own,
        ...unreadable,
      ),
    }
  }
  return { 200: jsonResponse('The result.', output, ...unreadable) }
}

/** A binary body. */
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

/** The errors that every route can return. */
const commonErrors: readonly ErrorCode[] = [
  'TOO_MANY_REQUESTS',
  'STORAGE_FAILED',
  'DECRYPTION_FAILED',
  'RULE_FAILED',
  'STORAGE_UNAVAILABLE',
  'ACTIVITY_UNAVAILABLE',
  'AUTHENTICATION_UNAVAILABLE',
]

/** The errors of a route that reads a body, besides those of every route. */
const bodyErrors: readonly ErrorCode[] = [
  'CONTENT_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TIMEOUT',
]

/** Returns the codes of all errors of a route, each once. `operationErrors` are its operation's. */
function routeErrors(
  { path, body, extension }: Route,
  operationErrors: readonly ErrorCode[],
): readonly ErrorCode[] {
  return [
    ...new Set([
      ...operationErrors,
      ...commonErrors,
      ...(body === undefined ? [] : bodyErrors),
      ...(extension ? [errorWithoutExtensions(path)] : []),
    ]),
  ]
}

/**
 * Returns the error of an extension route without the option `extensions`: 405 if the path has
 * published methods, else 404.
 */
function errorWithoutExtensions(path: string): ErrorCode {
  const isPublished = routes.some((route) => route.path === path && !route.extension)
  return isPublished ? 'METHOD_NOT_ALLOWED' : 'ROUTE_NOT_FOUND'
}
