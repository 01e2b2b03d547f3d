/** Logs requests: one line for each, without values, tokens and names. */

import { type HttpHandler, probes, routes } from '../../http.js'

/** A request that was answered. */
export interface LoggedRequest {
  readonly method: string
  /** The path with its ids, without the query. Everything that is not an id or a route is `*`. */
  readonly path: string
  readonly status: number
  /** Milliseconds until the response began, with one decimal. */
  readonly ms: number
  readonly requestId: string
}

/**
 * Returns a handler that calls `log` with each request that `handler` has answered.
 * @param toPath - Returns what is logged of a target.
 */
export function withRequestLog(
  handler: HttpHandler,
  log: (request: LoggedRequest) => void,
  toPath: (url: string) => string = loggedPath,
): HttpHandler {
  return async (request) => {
    const startedAt = performance.now()
    const response = await handler(request)
    log({
      method: request.method,
      path: toPath(request.url),
      status: response.status,
      ms: Math.round((performance.now() - startedAt) * 10) / 10,
      requestId: response.headers['x-request-id'] ?? '-',
    })
    return response
  }
}

/** Returns the line of a request. */
export function formatRequest(request: LoggedRequest, isJson: boolean): string {
  const time = new Date().toISOString()
  if (isJson) return JSON.stringify({ event: 'request', time, ...request })
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

/** A client can send anything as its path: a token, a title, or characters that control a terminal. */
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
