/** Logs requests: one line for each, without values, tokens and names. */

import { type HttpHandler, type HttpRequest, probes, routes } from '../../http.js'

/** A request that was answered. */
export interface LoggedRequest {
  readonly method: string
  /** The path with its ids, without the query. Everything that is not an id or a route is `*`. */
  readonly path: string
  readonly status: number
  /** Milliseconds until the response began, with one decimal. */
  readonly ms: number
  readonly requestId: string
  /** The id of the caller. Not set if the request had no valid token. */
  readonly caller?: string
  /** The address of the client, if it is known. */
  readonly address?: string
}

/** Options that add to the log of a request what not every handler knows. */
export interface RequestLogOptions {
  /** Returns what is logged of a target. By default, its ids and the words of routes. */
  readonly toPath?: (url: string) => string
  /** Returns the id of the caller of a request that was answered. */
  readonly callerOf?: (request: HttpRequest) => string | undefined
}

/**
 * Returns a handler that calls `log` with each request that `handler` has answered.
 */
export function withRequestLog(
  handler: HttpHandler,
  log: (request: LoggedRequest) => void,
  { toPath = loggedPath, callerOf = () => undefined }: RequestLogOptions = {},
): HttpHandler {
  return async (request) => {
    const startedAt = performance.now()
    const response = await handler(request)
    const caller = callerOf(request)
    const { remoteAddress: address } = request
    log({
      method: request.method,
      path: toPath(request.url),
      status: response.status,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      requestId: response.headers['x-request-id'] ?? '-',
      ...(caller !== undefined && { caller }),
      ...(address !== undefined && { address }),
    })
    return response
  }
}

/** Returns the line of a request for people. */
export function formatRequest(request: LoggedRequest): string {
  const time = new Date().toISOString()
  const { method, path, status, ms, requestId } = request
  return `${time} ${method} ${path} ${status} ${ms.toFixed(1)} ms ${requestId}`
}

/** The words in the paths of all routes. */
const words = new Set([
  'ui',
  ...[...routes, ...probes]
    .flatMap(({ path }) => path.split('/'))
    .filter((word) => /^\w/.test(word)),
])
const id = /^(?:[\da-z]{26}|[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}|\d{1,10})$/

/**
 * A client may send anything as its path: a token, a title, or characters that control a terminal.
 */
function loggedPath(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1)
  const segments = path.split('/').slice(0, 12)
  return segments
    .map((segment) =>
      segment === '' || words.has(segment) || id.test(segment) || segment === 'openapi.json'
        ? segment
        : '*',
    )
    .join('/')
}
