/** Finds out who asks, or that nobody does. */

import type { Caller } from '../core/access/caller.js'
import { ForbiddenError, HttpError, UnauthorizedError } from '../errors.js'
import { redactError } from '../redact-error.js'
import { withTimeout } from '../with-timeout.js'
import type { HttpRequest } from './message.js'

/** How a request's caller is found. */
export interface AuthenticationOptions {
  /**
   * Who asks; undefined, or an UnauthorizedError, is answered with 401. Anything else it throws, not answering within
   * `authenticationTimeout`, and answering what is no caller is 503: nobody is let in because a check is out of order.
   * So it is with the caller's `may`, which may also throw a ForbiddenError.
   */
  authenticate(request: HttpRequest): Caller | undefined | Promise<Caller | undefined>
  /** Milliseconds for each question that is asked of who asks; 10,000 if absent. */
  readonly authenticationTimeoutMs?: number
}

/**
 * The caller of the request, who says where it came from.
 * @throws UnauthorizedError if nobody asks, HttpError 503 if that cannot be found out.
 */
export async function authenticateRequest(
  request: HttpRequest,
  requestId: string,
  options: AuthenticationOptions,
): Promise<Caller> {
  const caller = await callAuthenticator(request, options)
  if (caller === undefined) throw new UnauthorizedError()
  if (!isCaller(caller)) throw unavailableError(undefined)
  return {
    id: caller.id,
    can: async (permission, vaultId) => {
      try {
        return await withAuthTimeout(options, caller.can(permission, vaultId))
      } catch (error) {
        if (error instanceof ForbiddenError || error instanceof UnauthorizedError) throw error
        throw unavailableError(redactError(error))
      }
    },
    ...(caller.tokenId !== undefined && { tokenId: caller.tokenId }),
    // Looked for by who records the call, and by nobody else.
    get client() {
      return { ...clientInfo(request, requestId), ...caller.client }
    },
  }
}

/** Where a request came from. */
export function clientInfo(request: HttpRequest, requestId: string): NonNullable<Caller['client']> {
  const userAgent = request.header('user-agent')
  const requestIp = request.remoteAddress
  return {
    requestId,
    ...(userAgent !== undefined && { userAgent }),
    ...(requestIp !== undefined && { requestIp }),
  }
}

/** What is answered, if it is answered in time. @throws HttpError 503 otherwise. */
export async function withAuthTimeout<Answer>(
  { authenticationTimeoutMs = 10_000 }: Pick<AuthenticationOptions, 'authenticationTimeoutMs'>,
  answer: Answer | Promise<Answer>,
): Promise<Answer> {
  if (typeof Reflect.get(Object(answer), 'then') !== 'function') return answer
  return withTimeout(Promise.resolve(answer), authenticationTimeoutMs, () =>
    unavailableError(undefined),
  )
}

function isCaller(answer: unknown): boolean {
  const { id, can: may }: Partial<Caller> = Object(answer)
  // An empty id is that of nobody in the activity log.
  return (id ?? '') !== '' && typeof may === 'function'
}

async function callAuthenticator(
  request: HttpRequest,
  options: AuthenticationOptions,
): Promise<Caller | undefined> {
  try {
    return await withAuthTimeout(options, options.authenticate(request))
  } catch (error) {
    throw error instanceof UnauthorizedError ? error : unavailableError(redactError(error))
  }
}

function unavailableError(cause: unknown): HttpError {
  return new HttpError('AUTHENTICATION_UNAVAILABLE', 'the authenticator did not answer', { cause })
}
