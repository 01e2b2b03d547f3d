/** Reads the target of a request to a relay: the URL to which it forwards the request. */

import { routeNotFoundError } from '../base/fixed-errors.js'
import { isPublicHost } from '../base/public-host.js'
import { InvalidInputError, SecretUseError } from '../errors.js'

/** The target of a request, unchecked. */
export interface RelayTarget {
  /** `http` or `https`, in lower case. */
  readonly scheme: string
  /** The host and the port. */
  readonly authority: string
  /** The path and the query, as the client sent them. */
  readonly rest: string
}

/**
 * Splits a target, such as `https/api.example.com/customers?limit=3`. `https:/` and `https://` are
 * accepted as well.
 * @param target - The target below the base path, as the client sent it.
 * @throws RouteNotFoundError (404) if it does not begin with a scheme and a host.
 */
export function divideTarget(target: string): RelayTarget {
  const [, scheme, authority, rest] = /^(https?)(?::\/{1,2}|\/)([^/?#]+)(.*)$/is.exec(target) ?? []
  if (scheme === undefined || authority === undefined || rest === undefined)
    throw routeNotFoundError()
  return { scheme: scheme.toLowerCase(), authority, rest }
}

/**
 * Returns the URL of a target.
 * @throws InvalidInputError (400) if its host is invalid, or if its path and query cannot be sent
 * unchanged, because they contain the segments `.` or `..`, encoded slashes or backslashes, a
 * fragment, or characters that a URL must encode.
 */
export function toTargetUrl({ scheme, authority, rest }: RelayTarget): URL {
  const isHost = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(authority)
  const given = rest.startsWith('/') ? rest : `/${rest}`
  const base = `${scheme}://${authority}`
  if (!isHost || !URL.canParse(base)) throw InvalidInputError.at('', 'the target has no valid host')
  const [path = '', ...query] = given.split('?')
  if (/%(?:2f|5c)/i.test(path) || given.includes('#')) throw targetError()
  // `URL` encodes quotes in a query, but clients may send them as they are.
  const sent = [path, ...query.map((part) => part.replaceAll("'", '%27'))].join('?')
  const url = new URL(base + given)
  if (url.href !== url.origin + sent) throw targetError()
  return url
}

function targetError(): InvalidInputError {
  const message =
    'the path of the target must not have a segment . or .. or an encoded slash, and everything in' +
    ' it that a URL cannot have must be encoded'
  return InvalidInputError.at('', message)
}

/**
 * @param allowHosts - Hosts that need not be public.
 * @throws SecretUseError (403) if nothing may be sent to the URL.
 */
export function assertPublicUrl({ protocol, hostname }: URL, allowHosts: readonly string[]): void {
  if (protocol !== 'https:') throw new SecretUseError('a relay sends requests by https only')
  if (!isPublicHost(hostname) && !allowHosts.includes(hostname))
    throw new SecretUseError('the host is not public')
}
