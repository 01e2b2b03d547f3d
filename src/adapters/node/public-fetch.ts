/** A `fetch` for Node that connects to public addresses only. */

import { lookup } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { Agent, request as sendRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { pipeline, type Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip } from 'node:zlib'
import { list, text } from '../../base/argument.js'
import { toStream } from '../../base/blob-content.js'
import { defineOptions, type OptionKinds, optional } from '../../base/options.js'
import { host, isPublicAddress, isPublicHost } from '../../base/public-host.js'
import { SecretUseError } from '../../errors.js'

/** Options of `createPublicFetch`. */
export interface PublicFetchOptions {
  /**
   * Hosts that need not be public: names such as `billing.internal` and addresses, without ports.
   * Default: none.
   */
  readonly allowHosts?: readonly string[] | undefined
  /**
   * The certificates of the trusted authorities, in PEM. Default: those of Node and of
   * `NODE_EXTRA_CA_CERTS`.
   */
  readonly ca?: readonly string[] | undefined
}

const publicFetchOptions = defineOptions({
  allowHosts: optional(list('a list of hosts', host), []),
  ca: optional(list('a list of certificates', text())),
} satisfies OptionKinds<PublicFetchOptions>)

/** The statuses of responses that have no body (Fetch, "null body status"). */
const withoutBody = [101, 103, 204, 205, 304]

/**
 * Creates a function like `fetch` for URLs that somebody else has chosen, such as a customer. It
 * sends requests by https to public addresses only. It checks the addresses of a host name while
 * connecting, so an attacker gains nothing by pointing the name to a private address later. Each
 * request has its own connection. Redirects are not followed. Bodies in gzip and Brotli are
 * decoded.
 *
 * The function rejects with a SecretUseError (403) if the URL is not `https:`, or if any address of
 * the host is not public. Loopback, private, link-local, unique-local and carrier addresses are not
 * public, nor is IPv6 that contains IPv4. If the request fails, it rejects with Node's error. If
 * the request is invalid or aborted, it rejects as `fetch` does.
 * @throws TypeError if an option is unknown or has the wrong type.
 * @example
 * const relay = createSecretRelay(
 *   (caller, fetch) => createSecretFetch(vaultSecrets(service, caller), { fetch }),
 *   { authenticate, fetch: createPublicFetch() },
 * )
 */
export function createPublicFetch(
  options: PublicFetchOptions = {},
): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const { ca, ...settings } = publicFetchOptions.read(options)
  const allowHosts: readonly string[] = settings.allowHosts

  /** Looks a name up, and fails unless all of its addresses are public. */
  const lookupPublic: LookupFunction = (hostname, { all, ...lookupOptions }, callback) => {
    lookup(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) return callback(error ?? hostError(), '')
      const isAllowed = allowHosts.includes(hostname)
      if (!isAllowed && !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(hostError(), '')
      if (all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
  // The credentials of several callers would share a kept connection.
  const agent = new Agent({ keepAlive: false, lookup: lookupPublic, ...(ca && { ca: [...ca] }) })

  return async (url, init) => {
    const request = new Request(url, init)
    const { protocol, hostname } = new URL(request.url)
    if (protocol !== 'https:') throw new SecretUseError('requests are sent by https only')
    if (!isPublicHost(hostname) && !allowHosts.includes(hostname)) throw hostError()
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    const { method, signal } = request
    const headers = Object.fromEntries(request.headers)
    return new Promise((resolve, reject) => {
      sendRequest(request.url, { method, headers, signal, agent })
        .once('error', reject)
        .once('response', (message) => {
          try {
            resolve(toResponse(message, method))
          } catch (error) {
            message.destroy()
            reject(error)
          }
        })
        .end(body)
    })
  }
}

function hostError(): SecretUseError {
  return new SecretUseError('the host is not public')
}

/** @throws RangeError or TypeError if a Response cannot have the status or a header. */
function toResponse(message: IncomingMessage, method: string): Response {
  const { statusCode: status = 0, statusMessage: statusText = '', rawHeaders } = message
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.append(String(rawHeaders[index]), String(rawHeaders[index + 1]))
  const hasBody = method !== 'HEAD' && !withoutBody.includes(status)
  if (!hasBody) message.resume()
  const body = hasBody ? toStream(decode(message, headers.get('content-encoding'))) : null
  return new Response(body, { status, statusText, headers })
}

/** Decodes a body, unless it has an encoding that not every `fetch` decodes. */
function decode(message: IncomingMessage, encoding: string | null): Readable {
  const name = encoding?.trim().toLowerCase()
  if (name !== 'gzip' && name !== 'br') return message
  const decoder = name === 'gzip' ? createGunzip() : createBrotliDecompress()
  return pipeline(message, decoder, () => {})
}
