/** Decides who can request the probes and the OpenAPI document, which need no caller. */

import { isVaultError, RouteNotFoundError } from '../errors.js'
import { redactError } from '../redact-error.js'
import { type AuthenticationOptions, unavailableError, withAuthTimeout } from './authenticate.js'
import type { HttpRequest } from './message.js'
import type { ProbeRoute } from './routes.js'

/** The name of a route that needs no caller. */
export type ProbeName = ProbeRoute['probe'] | 'openapi'

/**
 * Returns true if the request is answered. For an error of this library the response is that error;
 * any other is 503.
 */
export type ProbeCheck = (request: HttpRequest) => boolean | Promise<boolean>

/** The access to each route that needs no caller; open if absent. */
export type ProbeAccess = Readonly<Partial<Record<ProbeName, boolean | ProbeCheck>>>

/** @throws RouteNotFoundError if the request must not be answered. */
export async function checkProbeAccess(
  options: AuthenticationOptions & { readonly probes?: ProbeAccess },
  name: ProbeName,
  request: HttpRequest,
): Promise<void> {
  const access = options.probes?.[name] ?? true
  if (access === true) return
  let isAllowed: unknown = false
  try {
    if (access !== false) isAllowed = await withAuthTimeout(options, access(request))
  } catch (error) {
    throw isVaultError(error) ? error : unavailableError(redactError(error))
  }
  if (isAllowed !== true) throw new RouteNotFoundError()
}
