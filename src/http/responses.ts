/** Makes responses: the headers that every answer carries, and the form of each kind of body. */

import { publicMessage } from '../error-codes.js'
import { HttpError, isVaultError } from '../errors.js'
import type { HttpResponse } from './message.js'

type Headers = Readonly<Record<string, string>>

/** Code points of a file's name in a header; file systems take no longer names either. */
const longestName = 255

/** An answer in JSON text. */
export function jsonResponse(requestId: string, text: string, headers?: Headers): HttpResponse {
  return {
    status: 200,
    headers: { ...common(requestId, 'application/json; charset=utf-8'), ...headers },
    body: text,
  }
}

/** An answer in plain text; `parameters` stand behind its type. */
export function textResponse(requestId: string, text: string, parameters = ''): HttpResponse {
  const headers = common(requestId, `text/plain${parameters}; charset=utf-8`)
  return { status: 200, headers, body: text }
}

/** An answer without a body. */
export function emptyResponse(requestId: string): HttpResponse {
  const { 'content-type': _type, ...headers } = common(requestId, '')
  return { status: 204, headers, body: null }
}

/** The bytes of a file, to be saved under its name. */
export function downloadResponse(
  requestId: string,
  file: {
    readonly name: string
    readonly size: number
    readonly content: ReadableStream<Uint8Array>
  },
): HttpResponse {
  const headers = {
    ...common(requestId, 'application/octet-stream'),
    'content-length': String(file.size),
    'content-disposition': contentDisposition(file.name),
  }
  return { status: 200, headers, body: file.content }
}

/** The answer to an error: its own body if it is one of this library, else 500 with a fixed sentence. */
export function errorResponse(requestId: string, error: unknown): HttpResponse {
  const body = isVaultError(error) ? error.toJSON() : { status: 500, message: publicMessage(500) }
  const headers: Record<string, string> = common(requestId, 'application/json; charset=utf-8')
  if (body.status === 401) headers['www-authenticate'] = 'Bearer'
  if (body.status === 408) headers['connection'] = 'close'
  if (body.status === 409 || body.status === 429 || body.status === 503)
    headers['retry-after'] = '1'
  if (error instanceof HttpError)
    for (const [name, value] of Object.entries(error.headers)) headers[name.toLowerCase()] = value
  return { status: body.status, headers, body: JSON.stringify(body) }
}

/** The same answer with more headers. */
export function withHeaders(response: HttpResponse, headers: Headers): HttpResponse {
  if (Object.keys(headers).length === 0) return response
  return { ...response, headers: { ...response.headers, ...headers } }
}

/** The answer to HEAD: the same as to GET, without the body. */
export function toHeadResponse(response: HttpResponse): HttpResponse {
  const { body, headers } = response
  if (body instanceof ReadableStream) body.cancel().catch(() => {})
  if (typeof body !== 'string') return { ...response, body: null }
  const length = String(new TextEncoder().encode(body).length)
  return { ...response, headers: { ...headers, 'content-length': length }, body: null }
}

function common(requestId: string, type: string): Record<string, string> {
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
 * `Content-Disposition` for any name (RFC 6266): an ASCII stand-in, and the name itself as RFC 8187 encodes it, each
 * shortened if clients could refuse the header for its length.
 */
function contentDisposition(whole: string): string {
  const name = truncateName(whole)
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** The name, or as much of its beginning as leaves room for its extension. */
function truncateName(name: string): string {
  const characters = [...name]
  if (characters.length <= longestName) return name
  const [extension = ''] = /\.[\da-z]{1,16}$/i.exec(name) ?? []
  return characters.slice(0, longestName - extension.length).join('') + extension
}
