/** Authenticates requests with the embedder's `authenticate`, within a timeout. */

import { limit, result } from '../base/argument.js'
import { invalidTokenError } from '../base/fixed-errors.js'
import { type OptionKinds, type OptionValues, optional } from '../base/options.js'
import { redactError } from '../base/redact-error.js'
import { safeGet } from '../base/safe-get.js'
import { withTimeout } from '../base/with-timeout.js'
import { type Caller, isCaller, type KnownCaller } from '../core/access/caller.js'
import {
  AuthenticationUnavailableError,
  ForbiddenError,
  TooManyRequestsError,
  UnauthorizedError,
} from '../errors.js'
import type { HttpRequest } from './message.js'

/** The caller of a request, or a falsy value such as undefined or null if there is none. */
export type Authenticated = Caller | undefined | null | false | '' | 0

/** A function that authenticates requests. */
export interface Authenticate {
  /** Returns the caller of a request. */
  (request: HttpRequest): Authenticated | Promise<Authenticated>
  /**
   * The header `WWW-Authenticate` of a 401 (RFC 9110, section 11.6.1). Null sends no such header,
   * for a login with cookies or anything else that is not an authentication scheme. Default:
   * `Bearer`.
   */
  readonly challenge?: string | null
}

/** How callers are authenticated. */
export interface AuthenticationOptions {
  /**
   * Returns the caller of a request. If there is no caller, or it throws an UnauthorizedError, the
   * response is 401. It can also throw a ForbiddenError (403), for example for a cross-site request,
   * or a TooManyRequestsError (429), for example to limit an address.
   *
   * The response is 503 after any other error, if the result is not a caller, or after
   * `authenticationTimeoutMs`, so a failing check never gives access. The same is true for the
   * caller's `can` and `filterVaults`.
   */
  readonly authenticate: Authenticate
  /**
   * How long each call of `authenticate`, `can`, `filterVaults` and the checks of `probes` may
   * take, in milliseconds: 1 or more, or Infinity for no limit. Default: 10,000.
   */
  readonly authenticationTimeoutMs?: number | undefined
}

/** The kinds of {@link AuthenticationOptions}. */
export const authenticationKinds = {
  authenticate: result(
    'bearerAuth',
    ...['fromExpress', 'fromKoa', 'fromFastify', 'fromHono', 'fromFetch', 'fromNode'],
  ),
  authenticationTimeoutMs: optional(limit({ min: 1 }), 10_000),
} satisfies OptionKinds<AuthenticationOptions>

type Authentication = OptionValues<typeof authenticationKinds>

/**
 * Returns the caller of the request, with the information about the client. Returns a promise only
 * if `authenticate` does, and then rejects instead of throwing.
 * @throws UnauthorizedError if the request has no caller.
 * @throws AuthenticationUnavailableError (503) if that cannot be determined.
 * @throws The ForbiddenError or TooManyRequestsError of `authenticate`.
 */
export function authenticateRequest(
  request: HttpRequest,
  requestId: string,
  options: Authentication,
): KnownCaller | Promise<KnownCaller> {
  let result: Authenticated | Promise<Authenticated>
  try {
    result = withAuthTimeout(options, 'authenticate', options.authenticate(request))
  } catch (error) {
    return rejectLogin(error)
  }
  return result instanceof Promise
    ? result.then((caller) => toHttpCaller(caller, request, requestId, options), rejectLogin)
    : toHttpCaller(result, request, requestId, options)
}

function rejectLogin(error: unknown): never {
  throw isRefusal(error) ? error : failedError('authenticate', error)
}

/** Returns true if an embedder's check refused a request with this error. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ForbiddenError ||
    error instanceof UnauthorizedError ||
    error instanceof TooManyRequestsError ||
    error instanceof AuthenticationUnavailableError
  )
}

/**
 * Returns a caller whose checks have a timeout, with the information about the client. It is a
 * plain object without the request, because embedders copy and log callers.
 * @throws UnauthorizedError if `caller` is falsy.
 * @throws AuthenticationUnavailableError (503) if it is anything else that is not a caller.
 */
function toHttpCaller(
  caller: Authenticated,
  request: HttpRequest,
  requestId: string,
  options: Authentication,
): KnownCaller {
  if (!caller) throw invalidTokenError()
  // The activity log has an empty id for a caller who is not authenticated.
  if (!isCaller(caller))
    throw new AuthenticationUnavailableError(
      `authenticate returned ${describe(caller)}: return createCaller(…)`,
    )
  const { id, tokenId, expiresAt, use, filterVaults } = caller
  return {
    id: String(id),
    can(...check) {
      try {
        const granted = withAuthTimeout(options, 'can', caller.can(...check))
        return granted instanceof Promise ? granted.catch(rejectCheck) : granted
      } catch (error) {
        return rejectCheck(error)
      }
    },
    ...(filterVaults && {
      filterVaults: async (vaultIds) => {
        try {
          const found = filterVaults.call(caller, vaultIds)
          return [...(await withAuthTimeout(options, 'filterVaults', found))]
        } catch (error) {
          return rejectCheck(error, 'filterVaults')
        }
      },
    }),
    ...(tokenId !== undefined && { tokenId }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(use !== undefined && { use }),
    // A getter would give each caller its own hidden class, which keeps the request in memory until
    // a major garbage collection. That costs a quarter of a request for a file's details.
    client: { ...clientInfo(request, requestId), ...caller.client },
  }
}

/** Describes a result that is not a caller. */
function describe(result: unknown): string {
  if (typeof result !== 'object') return `a ${typeof result}`
  const hasCan = typeof safeGet(result, 'can') === 'function'
  return hasCan ? 'a caller without an id' : 'an object without the method can'
}

function rejectCheck(error: unknown, name = 'can'): never {
  throw isRefusal(error) ? error : failedError(`${name} of the caller`, error)
}

/** Returns the request id that the client sent if it is valid, otherwise a random one. */
export function readRequestId(request: HttpRequest): string {
  const givenId = request.header('x-request-id')
  const isGiven = givenId !== undefined && /^[\w.-]{1,128}$/.test(givenId)
  return isGiven ? givenId : crypto.randomUUID()
}

/** The form that all versions of the header have (W3C Trace Context, section 3.2). */
const traceparentPattern = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/** Returns the information that the mount has about the client of a request. */
export function clientInfo(request: HttpRequest, requestId: string): NonNullable<Caller['client']> {
  const userAgent = request.header('user-agent')
  const requestIp = request.remoteAddress
  const traceparent = request.header('traceparent')
  return {
    requestId,
    ...(userAgent !== undefined && { userAgent }),
    ...(requestIp !== undefined && { requestIp }),
    ...(traceparent !== undefined && traceparentPattern.test(traceparent) && { traceparent }),
  }
}

/**
 * Returns the result of an embedder's function. A promise gets a timeout, anything else is returned
 * unchanged.
 * @param name The name of the function, for the error.
 * @returns The result, or a promise that rejects with AuthenticationUnavailableError (503) if the
 * given one does not settle in time.
 */
export function withAuthTimeout<Result>(
  { authenticationTimeoutMs }: Pick<Authentication, 'authenticationTimeoutMs'>,
  name: string,
  result: Result | Promise<Result>,
): Result | Promise<Result> {
  if (typeof result === 'boolean' || typeof Reflect.get(Object(result), 'then') !== 'function')
    return result
  const settled = Promise.resolve(result)
  const timeoutError = () =>
    new AuthenticationUnavailableError(
      `${name} did not settle within ${authenticationTimeoutMs} ms`,
    )
  return withTimeout(settled, authenticationTimeoutMs, timeoutError)
}

/** Returns the error for an embedder's check that failed. `name` is the name of the function. */
export function failedError(name: string, error: unknown): AuthenticationUnavailableError {
  return new AuthenticationUnavailableError(`${name} failed`, { cause: redactError(error) })
}
