/** Finds out who asks, or that nobody does. */

import type { Caller } from '../core/access/caller.js'
import { ForbiddenError, HttpError, UnauthorizedError } from '../errors.js'
import { withoutSecrets } from '../redact-error.js'
import { within } from '../with-timeout.js'
import type { HttpRequest } from './message.js'

/** How a request's caller is found. */
export interface Authentication {
  /**
   * Who asks; undefined, or an UnauthorizedError, is answered with 401. Anything else it throws, not answering within
   * `authenticationTimeout`, and answering what is no caller is 503: nobody is let in because a check is out of order.
   * So it is with the caller's `may`, which may also throw a ForbiddenError.
   */
  authenticate(request: HttpRequest): Caller | undefined | Promise<Caller | undefined>
  /** Milliseconds for each question that is asked of who asks; 10,000 if absent. */
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
  if (!isCaller(caller)) throw unavailable(undefined)
  return {
    id: caller.id,
    may: async (access, vaultId) => {
      try {
        return await inTime(options, caller.may(access, vaultId))
      } catch (error) {
        if (error instanceof ForbiddenError || error instanceof UnauthorizedError) throw error
        throw unavailable(withoutSecrets(error))
      }
    },
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

/** What is answered, if it is answered in time. @throws HttpError 503 otherwise. */
export async function inTime<Answer>(
  { authenticationTimeout = 10_000 }: Pick<Authentication, 'authenticationTimeout'>,
  answer: Answer | Promise<Answer>,
): Promise<Answer> {
  if (typeof Reflect.get(Object(answer), 'then') !== 'function') return answer
  return within(authenticationTimeout, Promise.resolve(answer), () => unavailable(undefined))
}

function isCaller(answer: unknown): boolean {
  const { id, may }: Partial<Caller> = Object(answer)
  // An empty id is that of nobody in the activity log.
  return (id ?? '') !== '' && typeof may === 'function'
}

async function identified(
  request: HttpRequest,
  options: Authentication,
): Promise<Caller | undefined> {
  try {
    return await inTime(options, options.authenticate(request))
  } catch (error) {
    throw error instanceof UnauthorizedError ? error : unavailable(withoutSecrets(error))
  }
}

function unavailable(cause: unknown): HttpError {
  return new HttpError('AUTHENTICATION_UNAVAILABLE', 'the authenticator did not answer', { cause })
}
