/** Creates responses: the common headers, and the form of each kind of body. */

import { releaseContent } from '../base/blob-content.js'
import { bearerMessage } from '../base/fixed-errors.js'
import { type ErrorBody, isVaultError, publicMessage } from '../errors.js'
import type { HttpResponse } from './message.js'

type Headers = Readonly<Record<string, string>>

/** Maximum length of a file name in a header, in code points, as in most file systems. */
const maxNameLength = 255

/** The header with the number of unreadable records that a list leaves out. */
export const unreadableHeader = 'x-cofferkit-unreadable'

/** Returns a response with status 200 and a JSON text as its body. */
export function jsonResponse(requestId: string, text: string, headers?: Headers): HttpResponse {
  const all = commonHeaders(requestId, 'application/json; charset=utf-8')
  return { status: 200, headers: Object.assign(all, headers), body: text }
}

/** Returns a response with status 200 and plain text; `parameters` follow its media type. */
export function textResponse(requestId: string, text: string, parameters = ''): HttpResponse {
  const headers = commonHeaders(requestId, `text/plain${parameters}; charset=utf-8`)
  return { status: 200, headers, body: text }
}

/** Returns a response with status 204 and no body. */
export function emptyResponse(requestId: string): HttpResponse {
  const { 'content-type': _type, ...headers } = commonHeaders(requestId, '')
  return { status: 204, headers, body: null }
}

/** Returns a response with status 200 and the bytes of a file, as a download with its name. */
export function downloadResponse(
  requestId: string,
  file: {
    readonly name: string
    readonly size: number
    readonly content: Uint8Array | AsyncIterable<Uint8Array>
  },
): HttpResponse {
  const headers = {
    ...commonHeaders(requestId, 'application/octet-stream'),
    'content-length': String(file.size),
    'content-disposition': contentDisposition(file.name),
  }
  return { status: 200, headers, body: file.content }
}

/**
 * Returns the response to an error: the status and the message of a VaultError, and 500 with a
 * fixed message for any other error. From status 500 up, the message is always a fixed sentence.
 *
 * It has `WWW-Authenticate` with 401, `Connection: close` with 408, and `Retry-After: 1` with 409,
 * 429 and 503, unless the error has `retryAfterSeconds`. The headers of the error come last.
 *
 * @param challenge - The value of `WWW-Authenticate`, or null for no such header. If it is not
 * `Bearer`, the message of a 401 does not mention a bearer token.
 */
export function errorResponse(
  requestId: string,
  error: unknown,
  challenge: string | null = 'Bearer',
): HttpResponse {
  const body = isVaultError(error)
    ? withoutBearer(error.toJSON(), challenge)
    : { status: 500, message: publicMessage(500) }
  const headers = commonHeaders(requestId, 'application/json; charset=utf-8')
  if (body.status === 401 && challenge !== null) headers['www-authenticate'] = challenge
  if (body.status === 408) headers['connection'] = 'close'
  if (body.status === 409 || body.status === 429 || body.status === 503)
    headers['retry-after'] = '1'
  if (isVaultError(error)) {
    for (const [name, value] of Object.entries(error.headers ?? {}))
      headers[name.toLowerCase()] = value
    if (error.retryAfterSeconds !== undefined)
      headers['retry-after'] = String(Math.ceil(error.retryAfterSeconds))
  }
  return { status: body.status, headers, body: JSON.stringify(body) }
}

/**
 * Returns the body of an error. A 401 has the contract's message only if the challenge is `Bearer`.
 */
function withoutBearer(body: ErrorBody, challenge: string | null): ErrorBody {
  if (body.status !== 401 || (challenge !== null && /^Bearer\b/i.test(challenge))) return body
  return body.message === bearerMessage ? { ...body, message: 'Authentication is required' } : body
}

/** Returns the response with additional headers. */
export function withHeaders(response: HttpResponse, headers: Headers): HttpResponse {
  return { ...response, headers: { ...response.headers, ...headers } }
}

/** Returns the response to HEAD: the response to GET without its body, which is released. */
export function toHeadResponse(response: HttpResponse): HttpResponse {
  const { body, headers } = response
  if (typeof body !== 'string') {
    releaseContent(body)
    return { ...response, body: null }
  }
  const length = String(new TextEncoder().encode(body).length)
  return { ...response, headers: { ...headers, 'content-length': length }, body: null }
}

function commonHeaders(requestId: string, type: string): Record<string, string> {
  return {
    'content-type': type,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-request-id': requestId,
  }
}

/**
 * Returns `Content-Disposition` for a file name (RFC 6266): an ASCII replacement, and the name
 * itself in the encoding of RFC 8187. Long names are truncated, because clients can reject a long
 * header.
 */
function contentDisposition(fileName: string): string {
  const name = truncateName(fileName)
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** Returns a name of at most 255 code points: the beginning of `name`, and its extension. */
function truncateName(name: string): string {
  const characters = [...name]
  if (characters.length <= maxNameLength) return name
  const [extension = ''] = /\.[\da-z]{1,16}$/i.exec(name) ?? []
  return characters.slice(0, maxNameLength - extension.length).join('') + extension
}
