/** Authentication with the bearer token of a request. */

import { result } from '../base/argument.js'
import type { Caller } from '../core/access/caller.js'
import { UnauthorizedError } from '../errors.js'
import type { HttpRequest } from '../http/message.js'

/**
 * Returns the caller that a token belongs to, or a promise of it. Throws or rejects with
 * UnauthorizedError for an invalid token, and with any other error if the token cannot be checked:
 * the response is then 503.
 */
export type BearerAuthenticator = (bearerToken: string) => Caller | Promise<Caller>

/**
 * Creates the option `authenticate` of `createHttpHandler`. It calls `authenticator` with the token
 * of the Authorization header (RFC 6750, section 2.1) and returns its caller. The value can repeat
 * the name of the header, as in `Authorization: Authorization: Bearer token`: a published client
 * sends that, and no scheme can have a colon in its name (RFC 9110, section 11.1).
 *
 * It rejects with UnauthorizedError (401), without calling `authenticator`, if there is no such
 * header, more than one, another scheme, no token, more than one, or more than 8,192 bytes.
 *
 * @throws TypeError if `authenticator` is not a function.
 *
 * @example
 * ```ts
 * import { bearerAuth, createHttpHandler } from 'cofferkit/http'
 * import { createTokenAuthenticator } from 'cofferkit/tokens'
 *
 * const authenticate = bearerAuth(createTokenAuthenticator({ tokens }))
 * const api = createHttpHandler(service, { authenticate })
 * ```
 */
export function bearerAuth(
  authenticator: BearerAuthenticator,
): (request: HttpRequest) => Caller | Promise<Caller> {
  result('createTokenAuthenticator', 'createJwtAuthenticator')(authenticator, 'authenticator')
  return (request) => {
    const header = request.header('authorization')
    const token =
      header !== undefined &&
      header.length <= 8192 &&
      /^(?:Authorization: *)?Bearer +([\w\-.~+/]+=*)$/i.exec(header)?.[1]
    if (!token) return Promise.reject(new UnauthorizedError())
    return authenticator(token)
  }
}
