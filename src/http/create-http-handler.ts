/** Handles HTTP requests with the operations of a vault service, for any framework. */

import { callback, flag, object } from '../base/argument.js'
import { basePath } from '../base/base-path.js'
import {
  defineOptions,
  type OptionKinds,
  type OptionValues,
  omittable,
  optional,
} from '../base/options.js'
import { assertService, type ExecutingService } from '../core/assert-service.js'
import type { VaultService } from '../core/vault-service.js'
import { type AuthenticationOptions, authenticationKinds } from './authenticate.js'
import { callOperation } from './call-operation.js'
import type { HttpHandler, HttpRequest } from './message.js'
import { type Metrics, metricsOf } from './metrics.js'
import { checkProbeAccess, handleProbe, type ProbeAccess, probeAccess } from './probes.js'
import { type BodyLimits, bodyLimits } from './read-body.js'
import { readInput } from './read-input.js'
import { type UploadLimits, uploadLimits } from './read-upload.js'
import { jsonResponse } from './responses.js'
import { openApiRoute, probes, routes } from './routes.js'
import { type ServedRoute, serveRoutes } from './serve-routes.js'

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
  const { basePath, extensions, onError } = settings
  const metrics = metricsOf(service)
  return serveRoutes({
    ...{ basePath, metrics, onError },
    authentication: settings,
    headers: service.dialect.headers,
    routes: [
      ...operationRoutes(executing, settings),
      ...probeRoutes(service, metrics, settings),
      ...openApiRoutes(settings),
    ],
    extensions: extensions ? [] : routes.filter(({ extension }) => extension),
  })
}

type Settings = OptionValues<typeof handlerOptions.kinds>

/** Returns the routes of the operations. */
function operationRoutes(service: ExecutingService, settings: Settings): readonly ServedRoute[] {
  const { extensions } = settings
  const queryOptions = { extensions, aliases: service.dialect.queryAliases }
  const served = routes.filter(({ extension }) => extensions || extension !== true)
  return served.map((route) => ({
    label: route.operation,
    method: route.method,
    path: route.path,
    respond: (routed) =>
      callOperation(service, {
        operation: route.operation,
        routed,
        extensions,
        readInput: () => readInput(route, routed, settings, queryOptions),
      }),
  }))
}

/** Returns the routes of the probes. */
function probeRoutes(
  service: VaultService,
  metrics: Metrics,
  settings: Settings,
): readonly ServedRoute[] {
  return probes.map((route) => ({
    label: route.probe,
    method: route.method,
    path: route.path,
    checkAccess: (request) => checkProbeAccess(settings, route.probe, request),
    respond: ({ requestId }) => handleProbe(service, metrics, route, requestId),
  }))
}

/** Returns the route of the OpenAPI document, if there is one. */
function openApiRoutes(settings: Settings): readonly ServedRoute[] {
  const { openApiDocument } = settings
  if (openApiDocument === undefined) return []
  const text = JSON.stringify(openApiDocument)
  const { probe, method, path } = openApiRoute
  return [
    {
      ...{ label: probe, method, path },
      checkAccess: (request) => checkProbeAccess(settings, probe, request),
      respond: ({ requestId }) => jsonResponse(requestId, text),
    },
  ]
}
