/** Finds out who asks, or that nobody does. */

import type { Caller } from '../core/caller.js'
import { HttpError, UnauthorizedError } from '../errors.js'
import { withoutSecrets } from '../without-secrets.js'
import type { HttpRequest } from './message.js'
import { within } from './within.js'

/** How a request's caller is found. */
export interface Authentication {
  /**
   * Who asks; undefined, or an UnauthorizedError, is answered with 401. Anything else it throws, and not answering
   * within `authenticationTimeout`, is answered with 503: nobody is let in because a check is out of order.
   */
  authenticate(request: HttpRequest): Caller | undefined | Promise<Caller | undefined>
  /** Milliseconds; 10,000 if absent. */
  readonly authenticationTimeout?: number
}

/**
 * The caller of the request, who says where it came from.
 * @throws UnauthorizedError if nobody asks, HttpError 503 if that cannot be found out.
 */
export async function authenticated(
  request: HttpRequest,
  requestId: string,
  options: Authentication,
): Promise<Caller> {
  const caller = await identified(request, options)
  if (caller === undefined) throw new UnauthorizedError()
  return {
    id: caller.id,
    may: (access, vaultId) => caller.may(access, vaultId),
    ...(caller.jti !== undefined && { jti: caller.jti }),
    // Looked for by who records the call, and by nobody else.
    get origin() {
      return { ...originOf(request, requestId), ...caller.origin }
    },
  }
}

/** Where a request came from. */
export function originOf(request: HttpRequest, requestId: string): NonNullable<Caller['origin']> {
  const userAgent = request.header('user-agent')
  const requestIp = request.remoteAddress
  return {
    requestId,
    ...(userAgent !== undefined && { userAgent }),
    ...(requestIp !== undefined && { requestIp }),
  }
}

async function identified(
  request: HttpRequest,
  options: Authentication,
): Promise<Caller | undefined> {
  const { authenticationTimeout = 10_000 } = options
  try {
    return await within(authenticationTimeout, Promise.resolve(options.authenticate(request)), () =>
      unavailable(undefined),
    )
  } catch (error) {
    throw error instanceof UnauthorizedError ? error : unavailable(withoutSecrets(error))
  }
}

function unavailable(cause: unknown): HttpError {
  return new HttpError('AUTHENTICATION_UNAVAILABLE', 'the authenticator did not answer', { cause })
}
