/**
 * Serves a table of routes. Every handler of this library is such a table: the API of a service,
 * the API for credentials, the relay and the page.
 */

import { routeNotFoundError } from '../base/fixed-errors.js'
import type { OptionValues } from '../base/options.js'
import type { ClientInfo, KnownCaller } from '../core/access/caller.js'
import { MethodNotAllowedError, type RouteNotFoundError } from '../errors.js'
import {
  authenticateRequest,
  type authenticationKinds,
  clientInfo,
  readRequestId,
} from './authenticate.js'
import type { HttpHandler, HttpRequest, HttpResponse } from './message.js'
import { type Metrics, shareMetrics } from './metrics.js'
import { reportError } from './report-error.js'
import { errorResponse, toHeadResponse, withHeaders } from './responses.js'
import { createRouter, formatAllow, type Match, type RoutePattern } from './router.js'
import { findNodeCall } from './without-mount.js'

/** A request that matches a route. */
export interface RoutedRequest extends Pick<Match<unknown>, 'parameters' | 'query'> {
  readonly request: HttpRequest
  /** The id of the response: that of the request, if it is valid. */
  readonly requestId: string
  /** The information about the client, for the activity log. */
  readonly client: ClientInfo
  /** Authenticates the request. Rejects or throws the error of the response if there is no caller. */
  login(): KnownCaller | Promise<KnownCaller>
}

/** A route, and how its requests are answered. */
export interface ServedRoute extends RoutePattern {
  /** The label of its requests in the metrics. */
  readonly label: string
  /**
   * Checks whether anybody may know that the path exists. Called before everything else, for every
   * method. An error that it throws is the response.
   */
  readonly checkAccess?: (request: HttpRequest) => Promise<void>
  /** Returns the response to GET for HEAD as well. An error that it throws is the response. */
  respond(request: RoutedRequest): HttpResponse | Promise<HttpResponse>
}

/** A table of routes, and what their responses have in common. */
export interface RouteTable {
  /** The prefix of every path. */
  readonly basePath: string
  readonly routes: readonly ServedRoute[]
  /** Routes that are served only with the option `extensions`, which the errors then name. */
  readonly extensions?: readonly RoutePattern[]
  /** Counts the requests. Requests for other paths have the label `none`. */
  readonly metrics: Metrics
  /** How callers are authenticated. By default nobody is a caller. */
  readonly authentication?: OptionValues<typeof authenticationKinds>
  /**
   * Called with each error whose response has a status of 500 or more. By default it is printed.
   */
  readonly onError?: ((error: unknown, request: HttpRequest, requestId: string) => void) | undefined
  /** Headers of every response. */
  readonly headers?: Readonly<Record<string, string>>
  /** Returns the response to an error. Default: `errorResponse`. */
  readonly formatError?: typeof errorResponse
  /** Answers the requests for other paths. By default the response is 404. */
  readonly otherwise?: HttpHandler
}

const nobody: OptionValues<typeof authenticationKinds> = {
  authenticate: Object.assign(() => undefined, { challenge: null }),
  authenticationTimeoutMs: Number.POSITIVE_INFINITY,
}

/**
 * Creates a handler that answers requests with a table of routes. For each request it finds the
 * route, or responds with 404, or with 405 and `Allow`. It turns errors into responses, reports
 * those from status 500 up, counts the request, and answers HEAD like GET without the body.
 *
 * If Node or Express calls it without its mount, it responds with 500, and reports an error that
 * names the mount. If anything else does, it rejects with a TypeError.
 */
export function serveRoutes({
  basePath,
  routes,
  extensions = [],
  metrics,
  authentication = nobody,
  onError,
  headers = {},
  formatError = errorResponse,
  otherwise,
}: RouteTable): HttpHandler {
  const { challenge } = authentication.authenticate
  const router = createRouter(basePath, routes)
  const extensionRouter = createRouter(basePath, extensions)
  const hasHeaders = Object.keys(headers).length > 0

  /** Returns the response to an error, and reports it if it is not the client's. */
  function fail(error: unknown, request: HttpRequest, requestId: string): HttpResponse {
    const response = formatError(requestId, error, challenge)
    if (response.status >= 500) reportError({ onError }, error, request, requestId)
    return response
  }

  /** Returns the error of a request that has no route. */
  function routeError(
    routes: readonly RoutePattern[] | undefined,
    { method, url }: HttpRequest,
  ): RouteNotFoundError | MethodNotAllowedError {
    const isExtension = extensionRouter.match(method, url)?.route !== undefined
    const hint = isExtension ? ' without the option extensions' : ''
    if (routes === undefined) return routeNotFoundError(hint)
    const message = `this resource does not allow the method${hint}`
    return new MethodNotAllowedError(message, { headers: { allow: formatAllow(routes) } })
  }

  async function answer(
    match: Match<ServedRoute> | undefined,
    request: HttpRequest,
    requestId: string,
  ): Promise<HttpResponse> {
    try {
      const checkAccess = match?.routes[0]?.checkAccess
      if (checkAccess !== undefined) await checkAccess(request)
      if (match?.route === undefined) throw routeError(match?.routes, request)
      const { route, parameters, query } = match
      return await route.respond({
        ...{ request, requestId, parameters, query },
        client: clientInfo(request, requestId),
        login: () => authenticateRequest(request, requestId, authentication),
      })
    } catch (error) {
      return fail(error, request, requestId)
    }
  }

  const handler = async (
    request: HttpRequest,
    ...others: readonly unknown[]
  ): Promise<HttpResponse> => {
    const startedAt = performance.now()
    const nodeCall = findNodeCall(request, others)
    if (nodeCall !== undefined) {
      const response = fail(nodeCall.error, nodeCall.request, readRequestId(nodeCall.request))
      nodeCall.send(response)
      return response
    }
    const match = router.match(request.method, request.url)
    if (match === undefined && otherwise !== undefined) return otherwise(request)
    const requestId = readRequestId(request)
    // The page asks what the API allows, which is nobody's request.
    const isCounted = request.source?.mount !== 'page'
    if (isCounted) metrics.begin()
    let response = await answer(match, request, requestId)
    const seconds = (performance.now() - startedAt) / 1000
    if (isCounted) metrics.count(match?.route?.label ?? 'none', response.status, seconds)
    if (hasHeaders) response = withHeaders(response, headers)
    return request.method === 'HEAD' ? toHeadResponse(response) : response
  }
  shareMetrics(handler, metrics)
  return handler
}
