/** A relay on a real socket, and the API behind it. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createNodeListener } from 'cofferkit/node'
import {
  createSecretFetch,
  createSecretRelay,
  type SecretFetchFor,
  type SecretFetchOptions,
  type SecretRelayOptions,
  vaultSecrets,
} from 'cofferkit/use'
import { rawRequest } from '../../../src/base/raw-request.js'
import { createUse, startServer } from './echo-server.js'

/** The origin of the API. Its requests arrive at the server of the test. */
export const api = 'https://api.example.com'
/** The token of the relay. */
export const relayToken = 'relay-token-of-the-worker'
/** The headers of a request that uses `op://Team/Acme/token`. */
export const useToken = {
  'x-cofferkit-authorization': `Bearer ${relayToken}`,
  authorization: 'Bearer {{ op://Team/Acme/token }}',
}

interface RelayOptions extends Partial<SecretRelayOptions> {
  readonly secretFetchFor?: SecretFetchFor
  readonly use?: SecretFetchOptions
  readonly origins?: readonly string[]
}

/** Starts a relay to an API until the end of the test. */
export async function startRelay(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  { secretFetchFor, use, origins = [api], ...options }: RelayOptions = {},
) {
  const apiOrigin = await startServer(respond)
  const vault = await createUse(origins)
  const { service } = vault
  const handler = createSecretRelay(
    secretFetchFor ??
      ((caller, send) => createSecretFetch(vaultSecrets(service, caller), { ...use, fetch: send })),
    {
      authenticate: (request) =>
        request.header('Authorization') === `Bearer ${relayToken}` ? vault.caller : undefined,
      fetch: (url, init) => fetch(url.replace(/^https:\/\/[^/]*/, apiOrigin), init),
      onError: () => {},
      ...options,
    },
  )
  const origin = await startServer(createNodeListener(handler))
  return {
    ...vault,
    handler,
    origin,
    apiOrigin,
    /** Sends a request to the API through the relay. */
    request: (path: string, { headers, ...init }: RequestInit = {}) =>
      fetch(`${origin}/relay/https/api.example.com${path}`, {
        ...init,
        headers: { ...useToken, ...headers },
      }),
    /** Sends a target as it is. */
    async raw(target: string, headers: readonly string[] = []) {
      const all = Object.entries(useToken).map(([name, value]) => `${name}: ${value}`)
      const head = [`GET ${target} HTTP/1.1`, 'host: relay', ...all, ...headers]
      return rawRequest({ origin }, head)
    },
  }
}
