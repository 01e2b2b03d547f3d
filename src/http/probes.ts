/**
 * The handler's probes, and who can request them. They need no token, and their responses contain
 * no ids and no values.
 */

import { kindOf } from '../base/argument.js'
import { routeNotFoundError } from '../base/fixed-errors.js'
import { defineOptions, type OptionKinds, type OptionValues, omittable } from '../base/options.js'
import { withTimeout } from '../base/with-timeout.js'
import type { VaultService } from '../core/vault-service.js'
import { isVaultError, StorageError } from '../errors.js'
import { type authenticationKinds, failedError, withAuthTimeout } from './authenticate.js'
import type { HttpRequest, HttpResponse } from './message.js'
import type { Metrics } from './metrics.js'
import { jsonResponse, textResponse, withHeaders } from './responses.js'
import type { ProbeRoute } from './routes.js'

/** How long the health check of a store may take, in milliseconds. */
const timeoutMs = 5000

/**
 * Returns the response to a probe: `.` for the heartbeat, the metrics in the text format of
 * Prometheus, or the health as JSON, with the name of the dialect. The health probe returns 503
 * with `Retry-After: 1` if the store fails or does not respond within 5 seconds. Never rejects.
 */
export async function handleProbe(
  service: VaultService,
  metrics: Metrics,
  { probe }: ProbeRoute,
  requestId: string,
): Promise<HttpResponse> {
  if (probe === 'heartbeat') return textResponse(requestId, '.')
  if (probe === 'metrics')
    return textResponse(requestId, metrics.format(service.stats), '; version=0.0.4')
  const isHealthy = await isStoreHealthy(service)
  const status = isHealthy ? 'ACTIVE' : 'INACTIVE'
  const { health = { name: 'cofferkit' } } = service.dialect
  const body = { ...health, dependencies: [{ service: 'store', status }] }
  const response = jsonResponse(requestId, JSON.stringify(body))
  if (isHealthy) return response
  return { ...withHeaders(response, { 'retry-after': '1' }), status: 503 }
}

async function isStoreHealthy(service: VaultService): Promise<boolean> {
  return withTimeout(service.checkHealth(), timeoutMs, timeoutError).then(
    () => true,
    () => false,
  )
}

function timeoutError(): StorageError {
  return new StorageError('the health check of the store timed out')
}

/** The name of a route that needs no caller. */
export type ProbeName = ProbeRoute['probe'] | 'openapi'

/**
 * Return true to answer the request. If it throws an error of this library, the response is that
 * error. Any other error becomes 503.
 */
export type ProbeCheck = (request: HttpRequest) => boolean | Promise<boolean>

/** The access to each route that needs no caller. By default each is open. */
export type ProbeAccess = { readonly [Name in ProbeName]?: boolean | ProbeCheck }

const access = omittable(
  kindOf<boolean | ProbeCheck>('a boolean or a function', (value) =>
    /^(?:boolean|function)$/.test(typeof value),
  ),
  true,
)

/**
 * The definition of {@link ProbeAccess}. Unknown names are rejected, because a misspelt name would
 * leave a route open.
 */
export const probeAccess = defineOptions({
  heartbeat: access,
  health: access,
  metrics: access,
  openapi: access,
} satisfies OptionKinds<ProbeAccess, ProbeName>)

/** @throws RouteNotFoundError if the request must not be answered. */
export async function checkProbeAccess(
  options: OptionValues<typeof authenticationKinds> & { readonly probes: Required<ProbeAccess> },
  name: ProbeName,
  request: HttpRequest,
): Promise<void> {
  const access = options.probes[name]
  if (access === true) return
  let isAllowed: unknown = false
  try {
    if (access !== false)
      isAllowed = await withAuthTimeout(options, `probes.${name}`, access(request))
  } catch (error) {
    throw isVaultError(error) ? error : failedError(`probes.${name}`, error)
  }
  if (isAllowed !== true) throw routeNotFoundError()
}
