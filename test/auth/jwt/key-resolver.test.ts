import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { compactVerify, type JWK } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createKeyResolver, jwtAlgorithms } from '../../../src/auth/jwt/key-resolver.js'
import { createJwtAuthenticator } from '../../../src/auth/jwt.js'
import { UnauthorizedError } from '../../../src/errors.js'
import { bearerAuth } from '../../../src/http.js'
import {
  audience,
  forge,
  issuer,
  newTestKey,
  privateJwk,
} from '../../support/auth/forged-tokens.js'
import { createTestVault } from '../../support/http/checked-handlers.js'
import { createRequest, parseResponse, vaultUrl } from '../../support/http/requests.js'
import { createRecordingStore } from '../../support/stores/stores.js'

const key = newTestKey('key-1')
const next = newTestKey('key-2')

/** Starts a server until the end of the test and returns its URL. */
async function startServer(listener: RequestListener): Promise<URL> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`)
}

interface KeyedVault {
  readonly request: (forger?: typeof key, header?: Record<string, unknown>) => Promise<unknown>
  readonly storeCalls: readonly string[]
  readonly errors: readonly unknown[]
}

/** Creates a vault that verifies tokens with the keys of a JWKS. `request` returns the status. */
async function vaultWithKeysFrom(keys: URL | string, timeout = 10_000): Promise<KeyedVault> {
  const store = createRecordingStore()
  const errors: unknown[] = []
  const vault = await createTestVault(
    { store },
    {
      authenticate: bearerAuth(createJwtAuthenticator({ issuer, audience, keys })),
      authenticationTimeoutMs: timeout,
      onError: (error) => errors.push(error),
    },
  )
  store.calls.length = 0
  return {
    async request(forger = key, header = {}) {
      const headers = { authorization: `Bearer ${forge(forger, vault.vaultId, { header })}` }
      const get = createRequest(vault, 'GET', vaultUrl(vault), { headers })
      return parseResponse(await vault.handler(get)).status
    },
    storeCalls: store.calls,
    errors,
  }
}

describe('createKeyResolver with a JWKS', () => {
  it('fetches the keys when they are first needed, and not for each token', async () => {
    let fetched = 0
    const url = await startServer((_req, res) => {
      fetched += 1
      res.end(JSON.stringify({ keys: [key.publicJwk] }))
    })
    const { request } = await vaultWithKeysFrom(url)
    expect(fetched).toBe(0)
    expect(await Promise.all(Array.from({ length: 20 }, () => request()))).toEqual(
      Array(20).fill(200),
    )
    expect(fetched).toBe(1)
  })

  it('fetches the keys from an address that is a string', async () => {
    const url = await startServer((_req, res) => {
      res.end(JSON.stringify({ keys: [key.publicJwk] }))
    })
    const { request } = await vaultWithKeysFrom(url.href)
    expect(await request()).toBe(200)
  })

  it('does not fetch the keys again for each token with an unknown key', async () => {
    let fetched = 0
    const url = await startServer((_req, res) => {
      fetched += 1
      res.end(JSON.stringify({ keys: [key.publicJwk] }))
    })
    const { request, storeCalls } = await vaultWithKeysFrom(url)
    for (let round = 0; round < 20; round += 1) {
      expect(await request(newTestKey(`other-${round}`))).toBe(401)
    }
    expect(fetched).toBe(1)
    expect(storeCalls).toEqual([])
  })

  it('does not fetch the keys for a token that is rejected without them', async () => {
    let fetched = 0
    const url = await startServer((_req, res) => {
      fetched += 1
      res.end(JSON.stringify({ keys: [key.publicJwk] }))
    })
    const { request } = await vaultWithKeysFrom(url)
    expect(await request(key, { alg: 'none' })).toBe(401)
    expect(await request(key, { jku: 'https://a.test' })).toBe(401)
    expect(fetched).toBe(0)
  })

  it('fetches the keys again when they are ten minutes old', async () => {
    let published = [key]
    const url = await startServer((_req, res) => {
      res.end(JSON.stringify({ keys: published.map(({ publicJwk }) => publicJwk) }))
    })
    const { request } = await vaultWithKeysFrom(url)
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    expect(await request()).toBe(200)
    published = [key, next]
    expect(await request(next)).toBe(401)
    vi.advanceTimersByTime(31_000)
    expect([await request(next), await request()]).toEqual([200, 200])
    published = [next]
    expect([await request(next), await request()]).toEqual([200, 200])
    vi.advanceTimersByTime(601_000)
    expect([await request(next), await request()]).toEqual([200, 401])
  })

  it.each<[string, RequestListener]>([
    ['returns 500', (_req, res) => res.writeHead(500).end('{"keys":[]}')],
    [
      'redirects',
      (req, res) =>
        req.url === '/there'
          ? res.end(JSON.stringify({ keys: [key.publicJwk] }))
          : res.writeHead(302, { location: '/there' }).end(),
    ],
    ['returns invalid JSON', (_req, res) => res.end('<html>')],
    ['returns JSON that is not a JWKS', (_req, res) => res.end('[]')],
    ['returns a private key', (_req, res) => res.end(JSON.stringify({ keys: [privateJwk(key)] }))],
    ['closes the connection', (req) => req.socket.destroy()],
    ['does not respond', () => {}],
  ])('causes 503 and not 401 when the server %s', async (_what, listener) => {
    const { request, storeCalls, errors } = await vaultWithKeysFrom(
      await startServer(listener),
      200,
    )
    expect(await request()).toBe(503)
    expect(storeCalls).toEqual([])
    expect(errors).toHaveLength(1)
  })

  it('fetches the keys again after a failure', async () => {
    let isUp = false
    const url = await startServer((_req, res) => {
      res.writeHead(isUp ? 200 : 503).end(JSON.stringify({ keys: [key.publicJwk] }))
    })
    const { request } = await vaultWithKeysFrom(url)
    expect(await request()).toBe(503)
    isUp = true
    expect(await request()).toBe(200)
  })
})

const folder = process.env['WYCHEPROOF'] ?? ''

interface JwsTest {
  readonly tcId: number
  readonly comment: string
  readonly jws: string
  readonly result: 'valid' | 'invalid'
  readonly key: JWK
}

/** Valid signatures with another algorithm than the `alg` of the key. */
const disagreeing: ReadonlySet<number> = new Set([346, 347, 350, 351])

/** The cases for signatures. The others are for shared secrets, which are always rejected. */
function wycheproof(): JwsTest[] {
  if (folder === '') return []
  const text = readFileSync(join(folder, 'json_web_signature_test.json'), 'utf8')
  const file: { testGroups: { public?: JWK; tests: JwsTest[] }[] } = JSON.parse(text)
  return file.testGroups.flatMap(({ public: key, tests }) =>
    key === undefined ? [] : tests.map((test) => ({ ...test, key })),
  )
}

describe(`createKeyResolver with Wycheproof${folder === '' ? ' (skipped)' : ''}`, () => {
  const tests = wycheproof()

  it('has every case, or none when WYCHEPROOF is not set', () => {
    expect(tests.length).toBe(folder === '' ? 0 : 361)
  })

  it.each(tests)('verifies case $tcId $comment as $result', async ({ tcId, jws, key, result }) => {
    const algorithms = [...jwtAlgorithms]
    const verified = compactVerify(jws, createKeyResolver([key]), { algorithms })
    const expected = disagreeing.has(tcId) ? 'invalid' : result
    expect(await verified.then(() => 'valid').catch(() => 'invalid')).toBe(expected)
  })

  it.each(tests)(
    'is rejected by createJwtAuthenticator in case $tcId $comment, which has no claims',
    async ({ jws, key }) => {
      const options = { issuer, audience, keys: [key], algorithms: jwtAlgorithms }
      const authenticated = createJwtAuthenticator(options)(jws)
      await expect(authenticated).rejects.toThrow(UnauthorizedError)
    },
  )
})
