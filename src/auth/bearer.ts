/** Takes the bearer token out of a request. */

import type { Caller } from '../core/access/caller.js'
import { UnauthorizedError } from '../errors.js'
import type { HttpRequest } from '../http/message.js'

/** Who a token belongs to. @throws UnauthorizedError for a token it does not know. */
export type BearerAuthenticator = (bearerToken: string) => Promise<Caller>

/**
 * An `authenticate` for `createHttpHandler`: asks `authenticator` about the token in the Authorization header
 * (RFC 6750, section 2.1). No header, another scheme, two headers or tokens, and more than 8,192 bytes are 401.
 */
export function bearerAuth(
  authenticator: BearerAuthenticator,
): (request: HttpRequest) => Promise<Caller> {
  return (request) => {
    const header = request.header('authorization')
    const token =
      header !== undefined &&
      header.length <= 8192 &&
      /^Bearer +([\w\-.~+/]+=*)$/i.exec(header)?.[1]
    if (!token) return Promise.reject(new UnauthorizedError())
    return authenticator(token)
  }
}
