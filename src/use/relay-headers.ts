/** Chooses the headers that a relay forwards. */

import type { HttpRequest } from '../http/message.js'

/** The header with the token of the relay itself. */
const relayTokenHeader = 'x-cofferkit-authorization'

/** Headers that are about one connection only (RFC 9110, section 7.6.1). */
const connectionHeaders = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade', 'http2-settings'],
]

/** Headers of a request that are about the relay, or about the client and the proxies before it. */
const ofRelay =
  /^(?:x-cofferkit-authorization|host|content-length|expect|cookie2?|forwarded|x-forwarded(?:-.*)?|x-real-ip|via)$/

/**
 * Headers of a response that change what a browser allows or keeps for the relay's own origin, and
 * headers that only the relay may set.
 */
const ofOrigin =
  /^(?:set-cookie2?|access-control-.*|cross-origin-.*|timing-allow-origin|alt-svc|clear-site-data|strict-transport-security|service-worker-allowed|x-cofferkit-(?!error$).*)$/

/** Returns the headers of a request that are passed on to the API. */
export function toApiHeaders(given: Iterable<readonly [string, string]>): Headers {
  const headers = new Headers()
  for (const [name, value] of given) headers.append(name, value)
  const connection = listConnectionHeaders(headers)
  for (const name of [...headers.keys()])
    if (connection.has(toUsual(name)) || ofRelay.test(toUsual(name))) headers.delete(name)
  return headers
}

/**
 * Returns the headers of a response that are passed on to the client. The relay has followed
 * redirects. A client that followed another one would send the relay's token to another host.
 */
export function toClientHeaders({ status, headers }: Response): Readonly<Record<string, string>> {
  const connection = listConnectionHeaders(headers)
  const isRedirect = status >= 300 && status < 400
  const kept = [...headers].filter(
    ([name]) =>
      !connection.has(toUsual(name)) &&
      !ofOrigin.test(name) &&
      !(isRedirect && name === 'location'),
  )
  return Object.fromEntries(kept)
}

/** Returns the names of the headers that are about one connection, in canonical form. */
function listConnectionHeaders(headers: Headers): ReadonlySet<string> {
  const named = headers.get('connection')?.toLowerCase().split(',') ?? []
  return new Set([...connectionHeaders, ...named.map((name) => toUsual(name.trim()))])
}

/** Servers may read other characters in the name of a header as `-`, such as `_`. */
function toUsual(name: string): string {
  return name.replace(/[^a-z\d]/g, '-')
}

/** Returns the request for `authenticate`, with the relay's token as `Authorization`. */
export function withRelayToken(request: HttpRequest): HttpRequest {
  return {
    ...request,
    header: (name) =>
      request.header(name.toLowerCase() === 'authorization' ? relayTokenHeader : name),
  }
}
