/** Authentication with the bearer token of a request. */

import { result } from '../base/argument.js'
import { invalidTokenError } from '../base/fixed-errors.js'
import { AuthenticationUnavailableError } from '../errors.js'
import type { Authenticated } from '../http/authenticate.js'
import type { HttpRequest } from '../http/message.js'

/**
 * Returns the caller that a token belongs to, or a promise of it. If the token is invalid, return
 * undefined or throw an UnauthorizedError, and the response is 401. Any other error means that the
 * token cannot be checked, and the response is 503.
 * @typeParam Found - What it returns: a caller, or nothing.
 */
export type BearerAuthenticator<Found extends Authenticated = Authenticated> = (
  bearerToken: string,
) => Found | Promise<Found>

/**
 * Creates the option `authenticate` of `createHttpHandler`. It calls `authenticator` with the token
 * of the Authorization header (RFC 6750, section 2.1) and returns its caller. The value may repeat
 * the name of the header, as in `Authorization: Authorization: Bearer token`, because a published
 * client sends that. This is unambiguous, because no scheme has a colon in its name (RFC 9110,
 * section 11.1).
 *
 * It rejects with UnauthorizedError (401), without calling `authenticator`, if the header is
 * missing, occurs twice, has another scheme, has not exactly one token, or has more than 8,192
 * bytes.
 *
 * @throws TypeError if `authenticator` is not a function.
 *
 * @example
 * ```ts
 * import { bearerAuth, createHttpHandler } from 'cofferkit/http'
 * import { createTokenAuthenticator, hashToken } from 'cofferkit/tokens'
 *
 * const tokens = [{ id: 'wendy', sha256: await hashToken('secret'), vaults: '*' }] as const
 * const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
 * const api = createHttpHandler(service, { authenticate })
 * ```
 */
export function bearerAuth<Found extends Authenticated>(
  authenticator: BearerAuthenticator<Found>,
): (request: HttpRequest) => Found | Promise<Found> {
  result('createTokenAuthenticator', 'createJwtAuthenticator')(authenticator, 'authenticator')
  return (request) => {
    const header = request.header('authorization')
    const token =
      header !== undefined &&
      header.length <= 8192 &&
      /^(?:Authorization: *)?Bearer +([\w\-.~+/]+=*)$/i.exec(header)?.[1]
    if (!token) return Promise.reject(invalidTokenError())
    return authenticator(token)
  }
}

/**
 * Checks the argument of an authenticator that bearer tokens are passed to.
 * @throws AuthenticationUnavailableError if it is not a string, such as a whole request.
 */
export function assertBearerToken(token: unknown): void {
  if (typeof token !== 'string')
    throw new AuthenticationUnavailableError(
      'the bearer token must be a string: to authenticate requests, use bearerAuth(authenticator)',
    )
}
