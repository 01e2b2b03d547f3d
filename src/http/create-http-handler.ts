/** Answers HTTP requests with the operations of a vault service, without knowing any framework. */

import type { Caller } from '../core/access/caller.js'
import type { OperationName, VaultService } from '../core/vault-service.js'
import {
  type AuthenticationOptions,
  authenticateRequest,
  clientInfo,
  withAuthTimeout,
} from './authenticate.js'
import { callOperation } from './call-operation.js'
import { handleProbe } from './health.js'
import type { HttpHandler, HttpRequest, HttpResponse } from './message.js'
import { createMetrics } from './metrics.js'
import type { OpenApiDocument } from './openapi/document.js'
import type { BodyLimits } from './read-body.js'
import { type Input, readInput } from './read-input.js'
import type { UploadLimits } from './read-upload.js'
import { errorResponse, jsonResponse, toHeadResponse, withHeaders } from './responses.js'
import { createRouter, type Match } from './router.js'
import { validateOptions } from './validate-options.js'

/** A call of an operation that is about to be made. */
export interface OperationCall {
  readonly operation: OperationName
  readonly caller: Caller
  readonly request: HttpRequest
}

/** How a service is put on HTTP. */
export interface HttpHandlerOptions extends AuthenticationOptions, BodyLimits, UploadLimits {
  /** What stands before `/v1` in every path, such as `/secrets`, without a slash at its end; nothing if absent. */
  readonly basePath?: string
  /**
   * Whether the routes and parameters beyond the published service are offered: vaults made, renamed and deleted, files
   * attached and removed, states, versions, pages of lists, many items in one call. False if absent.
   */
  readonly extensions?: boolean
  /**
   * What `createOpenApiDocument` has made: answered to whoever asks for `/v1/openapi.json`, without a token. Not offered
   * if absent.
   */
  readonly openApiDocument?: OpenApiDocument
  /**
   * Asked before each operation, when it is known who asks, and before the body is read: what it throws, or rejects
   * with, is answered in the operation's place. For limits of requests: throw a TooManyRequestsError (429). Not
   * answering within `authenticationTimeout` is 503.
   */
  beforeOperation?(call: OperationCall): void | Promise<void>
  /** Told of every error that is answered with 500 or more. What it throws is nobody's. */
  onError?(error: unknown, request: HttpRequest): void
}

/**
 * A handler for the routes under `/v1`, and for `/heartbeat`, `/health` and `/metrics` beside it. It answers every
 * request, in the contract's error form at worst, and never rejects.
 * @throws RangeError if a limit among the options is not a number of 0 or more, or a timeout not one of 1 or more
 * (Infinity is both); or if `basePath` is not empty and does not begin with a slash, or ends with one.
 */
export function createHttpHandler(service: VaultService, options: HttpHandlerOptions): HttpHandler {
  const { basePath = '', extensions = false, openApiDocument } = options
  validateOptions(options, basePath)
  const table = createRouter(basePath, extensions, openApiDocument !== undefined)
  const description = JSON.stringify(openApiDocument)
  const metrics = createMetrics()
  const { headers, queryAliases: aliases } = service.dialect
  const queryOptions = { extensions, aliases }

  async function dispatch(
    request: HttpRequest,
    requestId: string,
    match: Match,
  ): Promise<HttpResponse> {
    const { route, parameters, query } = match
    if ('probe' in route) {
      if (route.probe === 'openapi') return jsonResponse(requestId, description)
      return handleProbe(service, metrics, route, requestId)
    }
    const { operation } = route
    let caller: Caller | undefined
    let input: Input
    try {
      caller = await authenticateRequest(request, requestId, options)
      const check = options.beforeOperation?.({ operation, caller, request })
      if (check !== undefined) await withAuthTimeout(options, check)
      input = await readInput(route, match, request, options, queryOptions)
    } catch (error) {
      const actor = caller ?? { client: clientInfo(request, requestId) }
      await service.logRejectedCall(operation, actor, parameters, error)
      throw error
    }
    return callOperation(service, { operation, caller, input, query, requestId })
  }

  return async (request) => {
    const began = performance.now()
    const requestId = requestIdOf(request)
    let name = 'none'
    let response: HttpResponse
    try {
      const match = table.match(request.method, request.url)
      name = 'probe' in match.route ? match.route.probe : match.route.operation
      response = await dispatch(request, requestId, match)
    } catch (error) {
      response = errorResponse(requestId, error)
      if (response.status >= 500) reportError(options, error, request)
    }
    metrics.count(name, response.status, (performance.now() - began) / 1000)
    const whole = withHeaders(response, headers)
    return request.method === 'HEAD' ? toHeadResponse(whole) : whole
  }
}

/** Tells the operator, whose listener may fail in any way without costing the client his answer. */
function reportError(options: HttpHandlerOptions, error: unknown, request: HttpRequest): void {
  Promise.resolve()
    .then(() => options.onError?.(error, request))
    .catch(() => {})
}

function requestIdOf(request: HttpRequest): string {
  const given = request.header('x-request-id')
  return given !== undefined && /^[\w.-]{1,128}$/.test(given) ? given : crypto.randomUUID()
}
