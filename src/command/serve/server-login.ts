/** Authenticates the requests of a server, limits them, and ends those of revoked tokens. */

import type { Duplex } from 'node:stream'
import { type BearerAuthenticator, bearerAuth, type HttpRequest } from '../../http.js'
import { isVaultError, type KnownCaller, TooManyRequestsError } from '../../index.js'
import { createRateLimit } from './rate-limit.js'

/** The login of a server. */
export interface ServerLogin {
  /** The option `authenticate` of the handler. */
  authenticate(request: HttpRequest): Promise<KnownCaller>
  /** Returns the id of the caller of a request, or undefined if it had no valid token. */
  callerOf(request: HttpRequest): string | undefined
  /** Cuts the connections of the requests in progress of these callers. */
  endRequests(callerIds: ReadonlySet<string>): void
}

/**
 * Creates the login of a server.
 * @param authenticator - Returns the caller of a token.
 * @param perMinute - How many requests each caller may send in a minute, and each address without a
 * valid token. Default: no limit.
 */
export function createServerLogin(
  authenticator: BearerAuthenticator<KnownCaller>,
  perMinute: number | undefined,
): ServerLogin {
  const authenticate = bearerAuth(authenticator)
  const count = perMinute === undefined ? () => 0 : createRateLimit(perMinute)
  const callers = new WeakMap<object, string>()
  const open = new Map<string, Set<Duplex>>()
  const assertWithinLimit = (key: string): void => {
    const retryAfterSeconds = count(key)
    if (retryAfterSeconds > 0)
      throw new TooManyRequestsError('too many requests', { retryAfterSeconds })
  }
  return {
    async authenticate(request) {
      let caller: KnownCaller
      try {
        caller = await authenticate(request)
      } catch (error) {
        if (isVaultError(error) && error.status === 401)
          assertWithinLimit(`address ${request.remoteAddress}`)
        throw error
      }
      const { id } = caller
      callers.set(keyOf(request), id)
      assertWithinLimit(`caller ${id}`)
      remember(open, id, request)
      return caller
    },
    callerOf: (request) => callers.get(keyOf(request)),
    endRequests(callerIds) {
      for (const id of callerIds) for (const socket of open.get(id) ?? []) socket.destroy()
    },
  }
}

/** Returns what all copies of a request share. */
function keyOf(request: HttpRequest): object {
  return request.source ?? request
}

/** Remembers the connection of a request of `createNodeListener` until its response has ended. */
function remember(open: Map<string, Set<Duplex>>, callerId: string, request: HttpRequest): void {
  const socket: Duplex | undefined = Object(request.source?.values[0]).socket
  const signal = request.signal?.()
  if (socket === undefined || signal === undefined || signal.aborted) return
  const sockets = open.get(callerId) ?? new Set()
  open.set(callerId, sockets.add(socket))
  signal.addEventListener('abort', () => {
    sockets.delete(socket)
    if (sockets.size === 0 && open.get(callerId) === sockets) open.delete(callerId)
  })
}
