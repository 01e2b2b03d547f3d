/** Turns the refusals of a secret fetch into responses. */

import { argumentError, type Kind, readArgument } from '../base/argument.js'
import { safeGet } from '../base/safe-get.js'
import { type ErrorBody, isVaultError, type VaultError } from '../errors.js'

/**
 * The header with the error's code in a refusal of a secret fetch or a relay. It is removed from
 * the responses of APIs.
 */
export const refusalHeader = 'x-cofferkit-error'

/** The codes of the errors that are refusals, because a retry would fail in the same way. */
const refusalCodes: readonly string[] = [
  'SECRET_USE_REFUSED',
  'INVALID_INPUT',
  'UNAUTHORIZED',
  'NOT_FOUND',
  'FORBIDDEN',
  'RECONNECT_REQUIRED',
]

/**
 * Returns true if this library refused a request. Pass a response of a secret fetch, or an error
 * that an SDK threw and that has the response or its headers. No API can send the header by which a
 * refusal is recognized.
 * @param value - A response, or whatever an API client threw. It can be anything.
 * @throws TypeError if `value` is a promise.
 * @example
 * const secretFetch = createSecretFetch(vaultSecrets(service, caller))
 * const headers = { authorization: 'Bearer {{ op://Team/Example/key }}' }
 * const response = await secretFetch('https://api.example.com', { headers })
 * if (isRefusal(response)) throw new Error((await response.json()).message)
 */
export function isRefusal(value: unknown): boolean {
  readArgument(notPromise, { value })
  const response = safeGet(value, 'response')
  return [value, response].some(
    (one) => hasHeader(safeGet(one, 'headers')) || hasHeader(safeGet(one, 'responseHeaders')),
  )
}

const notPromise: Kind<unknown> = (value, path) => {
  if (value instanceof Promise) throw argumentError(value, path, 'a response or an error')
  return value
}

/** Headers are an object with `has`, or one with lowercase members. */
function hasHeader(headers: unknown): boolean {
  const has = safeGet(headers, 'has')
  if (typeof has === 'function') return Reflect.apply(has, headers, [refusalHeader]) === true
  return safeGet(headers, refusalHeader) !== undefined
}

/** Returns true if an error becomes a response by default. */
export function isRefusalError(error: unknown): error is VaultError {
  return isVaultError(error) && refusalCodes.includes(error.code)
}

/** The body of a response that this library sends instead of the API. */
export interface RefusalBody extends ErrorBody {
  readonly error: { readonly code: string; readonly message: string }
}

/**
 * Returns the body of an error with its code. SDKs read `error`. Without it, Stripe's SDK takes any
 * response for a success.
 */
export function toRefusalBody(code: string, { status, message }: ErrorBody): RefusalBody {
  return { status, message, error: { code, message } }
}

/**
 * The status of every refusal, whatever the status of its error is. Code may take 401 for a key that
 * the API rejects and 404 for something that the API does not have, and many SDKs retry after 409.
 */
const refusalStatus = 403

/** Returns a response for an error. It is made so that API clients do not retry the request. */
export function toRefusal(error: VaultError): Response {
  const body = toRefusalBody(error.code, { ...error.toJSON(), status: refusalStatus })
  return new Response(JSON.stringify(body), {
    status: refusalStatus,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      [refusalHeader]: error.code,
      'x-should-retry': 'false',
      'stripe-should-retry': 'false',
    },
  })
}
