/** Handles HTTP requests with the operations of a vault service, for any framework. */

import { callback, flag, object } from '../base/argument.js'
import { basePath } from '../base/base-path.js'
import { defineOptions, type OptionKinds, omittable, optional } from '../base/options.js'
import { assertService } from '../core/assert-service.js'
import type { VaultService } from '../core/vault-service.js'
import {
  type AuthenticationOptions,
  authenticateRequest,
  authenticationKinds,
  clientInfo,
  readRequestId,
} from './authenticate.js'
import { callOperation } from './call-operation.js'
import type { HttpHandler, HttpRequest, HttpResponse } from './message.js'
import { createMetrics } from './metrics.js'
import { checkProbeAccess, handleProbe, type ProbeAccess, probeAccess } from './probes.js'
import { type BodyLimits, bodyLimits } from './read-body.js'
import { readInput } from './read-input.js'
import { type UploadLimits, uploadLimits } from './read-upload.js'
import { reportError } from './report-error.js'
import { errorResponse, jsonResponse, toHeadResponse, withHeaders } from './responses.js'
import { createRouter } from './router.js'

/** Options of `createHttpHandler`. */
export interface HttpHandlerOptions extends AuthenticationOptions, BodyLimits, UploadLimits {
  /** The prefix of every path, such as `/secrets`, without a slash at its end. Default: empty. */
  readonly basePath?: string | undefined
  /**
   * If true, serves more routes and parameters than 1Password Connect: creating, changing and
   * deleting vaults, attaching and removing files, states, versions, pages of lists, and several
   * items in one call. Default: false.
   */
  readonly extensions?: boolean | undefined
  /**
   * A document that is served at `/v1/openapi.json` without authentication, such as
   * `cofferkit/openapi.json`. By default none is served.
   */
  readonly openApiDocument?: object | undefined
  /**
   * Restricts the routes that need no caller: `/heartbeat`, `/health`, `/metrics` and
   * `/v1/openapi.json`. Pass false to turn a route off, or a function that returns true for
   * requests to answer. All other requests get 404. By default each route is open to everyone.
   */
  readonly probes?: ProbeAccess
  /**
   * Called with every error whose response has a status of 500 or more. Errors that it throws are
   * ignored. By default each error and its causes are printed with `console.error`: class, code and
   * stack frames, and the message only if it is an error of this library.
   */
  readonly onError?: ((error: unknown, request: HttpRequest, requestId: string) => void) | undefined
}

/** The definition of {@link HttpHandlerOptions}. */
export const handlerOptions = defineOptions({
  ...authenticationKinds,
  ...bodyLimits.kinds,
  ...uploadLimits.kinds,
  basePath,
  extensions: optional(flag(), false),
  openApiDocument: optional(object()),
  probes: omittable(probeAccess.read, probeAccess.read({})),
  onError: optional(callback()),
} satisfies OptionKinds<HttpHandlerOptions, 'probes'>)

/**
 * Creates a handler for the routes under `/v1`, and for `/heartbeat`, `/health` and `/metrics`.
 * @returns A handler that never rejects. It responds to an invalid request with an error in the
 * contract's form.
 * @throws TypeError if
 * - `service` is not a vault service
 * - an option is unknown or has the wrong type
 * - `basePath` is not empty, and does not begin with a slash or ends with one
 * @throws RangeError if a limit is not an integer of 0 or more, or a timeout is neither a number of
 * 1 or more nor Infinity.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createCaller, createVaultService } from 'cofferkit'
 * import { createHttpHandler } from 'cofferkit/http'
 * import { createMemoryStore } from 'cofferkit/memory'
 * import { createNodeListener } from 'cofferkit/node'
 *
 * const service = createVaultService({ store: createMemoryStore() })
 * const handler = createHttpHandler(service, { authenticate: () => createCaller({ id: 'wendy', vaults: '*' }) })
 * createServer(createNodeListener(handler)).listen(8080)
 * ```
 */
export function createHttpHandler(service: VaultService, options: HttpHandlerOptions): HttpHandler {
  const executing = assertService(service, { options })
  const settings = handlerOptions.read(options)
  const { basePath, extensions, openApiDocument } = settings
  const { challenge } = settings.authenticate
  const router = createRouter(basePath, extensions, openApiDocument !== undefined)
  const openApiText = JSON.stringify(openApiDocument)
  const metrics = createMetrics()
  const { headers, queryAliases } = service.dialect
  const hasHeaders = Object.keys(headers).length > 0
  const queryOptions = { extensions, aliases: queryAliases }

  return async (request) => {
    const startedAt = performance.now()
    const requestId = readRequestId(request)
    metrics.begin()
    let name = 'none'
    let response: HttpResponse
    try {
      const match = router.match(request.method, request.url)
      const { route, parameters, query } = match
      if ('probe' in route) {
        if (match.methodError === undefined) name = route.probe
        await checkProbeAccess(settings, route.probe, request)
        if (match.methodError !== undefined) throw match.methodError
        response =
          route.probe === 'openapi'
            ? jsonResponse(requestId, openApiText)
            : await handleProbe(service, metrics, route, requestId)
      } else {
        const { operation } = route
        name = operation
        response = await callOperation(executing, {
          operation,
          ids: parameters,
          client: clientInfo(request, requestId),
          query,
          requestId,
          extensions,
          wantsPermissions:
            operation === 'listVaults' && extensions && request.header('prefer') === 'permissions',
          login: () => authenticateRequest(request, requestId, settings),
          readInput: () => readInput(route, match, request, settings, queryOptions),
        })
      }
    } catch (error) {
      response = errorResponse(requestId, error, challenge)
      if (response.status >= 500) reportError(settings, error, request, requestId)
    }
    metrics.count(name, response.status, (performance.now() - startedAt) / 1000)
    if (hasHeaders) response = withHeaders(response, headers)
    return request.method === 'HEAD' ? toHeadResponse(response) : response
  }
}
