/** The refusals of a secret fetch as responses. */

import { anyFunction, like, readArgument } from '../base/argument.js'
import { isVaultError, type VaultError } from '../errors.js'

/**
 * Has the code of the error in a refusal of a secret fetch or a relay. It is removed from what an API
 * answers.
 */
export const refusalHeader = 'x-cofferkit-error'

/** The codes of the errors that are refusals: another attempt would fail in the same way. */
const refusalCodes: readonly string[] = [
  'SECRET_USE_REFUSED',
  'INVALID_INPUT',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'FORBIDDEN',
  'RECONNECT_REQUIRED',
]

/**
 * Returns true if a response of a secret fetch is a refusal of this library, and not the answer of
 * an API. No API can send the header that makes it one.
 * @throws TypeError if `response` is not a response, such as a promise.
 * @example
 * const response = await secretFetch(url, { headers })
 * if (isRefusal(response)) throw new Error((await response.json()).message)
 */
export function isRefusal(response: Pick<Response, 'headers'>): boolean {
  readArgument(like({ headers: { has: anyFunction } }), { response })
  return response.headers.has(refusalHeader)
}

/** Returns true if an error becomes a response by default. */
export function isRefusalError(error: unknown): error is VaultError {
  return isVaultError(error) && refusalCodes.includes(error.code)
}

/** Returns the response of an error, which clients of APIs do not repeat the request for. */
export function toRefusal(error: VaultError): Response {
  return new Response(JSON.stringify(error.toJSON()), {
    status: error.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      [refusalHeader]: error.code,
      'x-should-retry': 'false',
      'stripe-should-retry': 'false',
    },
  })
}
