/** Makes the next requests to a test vault fail, to test clients. */

import { argumentError } from '../../base/argument.js'
import { errorResponse } from '../../http/responses.js'
import type { HttpHandler } from '../../http.js'
import { StorageUnavailableError, TooManyRequestsError } from '../../index.js'

/**
 * The fault of one request: a response with this status and `Retry-After: 1`, a connection that is
 * cut without a response, or the usual response after this many milliseconds, 0 or more.
 */
export type RequestFault = 429 | 503 | 'drop' | { readonly delayMs: number }

/** A handler whose next requests can fail. */
export interface FailingHandler {
  readonly handler: HttpHandler
  /** Adds faults, one for each of the next requests. */
  failNext(...faults: readonly RequestFault[]): void
  /** Removes the unused faults. */
  clear(): void
}

/** Wraps a handler. It rejects to make the mount cut the connection. */
export function createFailingHandler(handler: HttpHandler): FailingHandler {
  const pending: RequestFault[] = []
  return {
    async handler(request) {
      const fault = pending.shift()
      // The error that `fetch` throws when the connection is lost.
      if (fault === 'drop') throw new TypeError('fetch failed')
      if (fault === 429)
        return errorResponse(crypto.randomUUID(), new TooManyRequestsError('too many requests'))
      if (fault === 503)
        return errorResponse(crypto.randomUUID(), new StorageUnavailableError('failNext(503)'))
      if (fault !== undefined) await new Promise((resolve) => setTimeout(resolve, fault.delayMs))
      return handler(request)
    },
    failNext(...faults) {
      const expected = "429, 503, 'drop' or { delayMs } of 0 or more"
      if (faults.length === 0) throw argumentError(undefined, 'each fault', expected)
      for (const fault of faults)
        if (!isFault(fault)) throw argumentError(fault, 'each fault', expected)
      pending.push(...faults)
    },
    clear() {
      pending.length = 0
    },
  }
}

function isFault(fault: unknown): boolean {
  return fault === 429 || fault === 503 || fault === 'drop' || Object(fault).delayMs >= 0
}
