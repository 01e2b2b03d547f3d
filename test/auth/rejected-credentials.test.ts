import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createNodeListener } from '../../src/adapters/node.js'
import type { BearerAuthenticator } from '../../src/auth/bearer.js'
import { createJwtAuthenticator, type JwtKey } from '../../src/auth/jwt.js'
import { createToken, createTokenAuthenticator } from '../../src/auth/tokens.js'
import { rawRequest } from '../../src/base/raw-request.js'
import { bearerAuth } from '../../src/http.js'
import { invalidCredentials } from '../../src/testing/hostile/credentials.js'
import type { TestVault } from '../../src/testing.js'
import { audience, forge, issuer, newTestKey } from '../support/auth/forged-tokens.js'
import { invalidTokens, revokedTokenId } from '../support/auth/rejected-tokens.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { createRecordingStore, type RecordingStore } from '../support/stores/stores.js'

const key = newTestKey('key-1')
const options = { issuer, audience, isRevoked: (tokenId: string) => tokenId === revokedTokenId }
const jwks = createServer((_req, res) => res.end(JSON.stringify({ keys: [key.publicJwk] })))

/** Authenticators, each with a token that it accepts. */
const authenticators: readonly (readonly [
  string,
  (vaultId: string) => Promise<readonly [BearerAuthenticator, string]>,
])[] = [
  [
    'createTokenAuthenticator',
    async (vaultId) => {
      const { token, sha256 } = await createToken()
      const tokens = [{ id: 'wendy', sha256, vaults: { [vaultId]: 'read-write' as const } }]
      return [createTokenAuthenticator({ tokens }), token]
    },
  ],
  [
    'createJwtAuthenticator with a list of keys',
    async (vaultId) => {
      const keys = [key.publicJwk as JwtKey, newTestKey('key-2').publicJwk as JwtKey]
      return [createJwtAuthenticator({ ...options, keys }), forge(key, vaultId)]
    },
  ],
  [
    'createJwtAuthenticator with a JWKS',
    async (vaultId) => {
      const keys = new URL(await listenOn(jwks))
      return [createJwtAuthenticator({ ...options, keys }), forge(key, vaultId)]
    },
  ],
]

async function listenOn(server: Server): Promise<string> {
  if (!server.listening)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterAll(() => {
  jwks.close()
})

describe.each(authenticators)('%s, over node:http', (_name, makeAuthenticator) => {
  let server: Server
  let origin: string
  let vault: TestVault
  let store: RecordingStore
  let validToken: string

  beforeAll(async () => {
    store = createRecordingStore()
    const created = createTestVault({ store }, { authenticate: (request) => authenticate(request) })
    vault = await created
    const [authenticator, token] = await makeAuthenticator(vault.vaultId)
    const authenticate = bearerAuth(authenticator)
    validToken = token
    server = createServer(createNodeListener(vault.handler))
    origin = await listenOn(server)
  })

  afterAll(() => {
    server.close()
  })

  beforeEach(() => {
    store.calls.length = 0
  })

  async function send(
    lines: readonly string[],
    query = '',
  ): Promise<{ status: number; text: string }> {
    const target = `/v1/vaults/${vault.vaultId}/items/${vault.item.id}${query}`
    return rawRequest({ origin }, [`GET ${target} HTTP/1.1`, 'host: vault.test', ...lines])
  }

  function expectRejection(response: { status: number; text: string }, status = 401): void {
    expect(response.status).toBe(status)
    expect(store.calls).toEqual([])
    if (status !== 401) return
    expect(response.text).toMatch(/\r\nwww-authenticate: Bearer\r\n/i)
    const body = response.text.slice(response.text.indexOf('\r\n\r\n') + 4)
    expect(JSON.parse(body)).toEqual({ status: 401, message: 'Invalid bearer token' })
  }

  it('responds with 200 to a valid token', async () => {
    expect(await send([`authorization: Bearer ${validToken}`])).toMatchObject({ status: 200 })
    expect(store.calls).not.toEqual([])
  })

  it.each(invalidCredentials)(
    'rejects $name without calling the store',
    async ({ lines, query, status }) => {
      expectRejection(await send(lines(validToken), query?.(validToken)), status)
    },
  )

  it.each(invalidTokens)(
    'rejects a token with $name without calling the store',
    async ({ token }) => {
      expectRejection(await send([`authorization: Bearer ${token(key, vault.vaultId)}`]))
    },
  )
})
