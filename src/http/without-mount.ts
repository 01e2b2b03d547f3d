/** Recognizes calls of a handler by a server or a framework that should call its mount. */

import { safeGet } from '../base/safe-get.js'
import { RuleError } from '../errors.js'
import type { HttpRequest, HttpResponse } from './message.js'

/** A call with the request and the response of Node. */
export interface NodeCall {
  readonly request: HttpRequest
  /** The error of the call. It names the mount. */
  readonly error: RuleError
  /** Sends the response. */
  send(response: HttpResponse): void
}

/** The members of Node's response that are used here. */
interface NodeResponse {
  writeHead(status: number, headers: HttpResponse['headers']): unknown
  end(body: unknown): unknown
}

/**
 * Returns the call if Node's `createServer`, Express or a similar framework called the handler
 * itself. Returns undefined if a mount called it.
 * @param others - The arguments after the request.
 * @throws TypeError that names a mount if `request` is anything else that does not come from one.
 */
export function findNodeCall(
  request: HttpRequest,
  [response, next]: readonly unknown[],
): NodeCall | undefined {
  if (!isNodeResponse(response)) {
    if (typeof request.header === 'function' && typeof request.url === 'string') return undefined
    throw new TypeError(
      'the handler was called without a mount: pass it to createFetchHandler of cofferkit/fetch, or to the mount of your framework',
    )
  }
  const mount =
    typeof next === 'function'
      ? 'createExpressHandler of cofferkit/express'
      : 'createNodeListener of cofferkit/node'
  return {
    request: toHttpRequest(request),
    error: new RuleError(`the handler was called without a mount: pass it to ${mount}`),
    send({ status, headers, body }) {
      response.writeHead(status, headers)
      response.end(body)
    },
  }
}

function isNodeResponse(value: unknown): value is NodeResponse {
  return typeof safeGet(value, 'writeHead') === 'function'
}

/** Returns what `onError` receives for a request of Node. */
function toHttpRequest(request: object): HttpRequest {
  const headers = safeGet(request, 'headers')
  return {
    method: String(safeGet(request, 'method')),
    url: String(safeGet(request, 'url')),
    header(name) {
      const value = safeGet(headers, name.toLowerCase())
      return typeof value === 'string' ? value : undefined
    },
    body: null,
  }
}
