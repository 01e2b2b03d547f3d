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
import { requestTo, saidIn, vaultUrl } from '../../support/http/requests.js'
import { recordingStore } from '../../support/stores/stores.js'

const key = newTestKey('key-1')
const next = newTestKey('key-2')

/** Where a listener answers until the test is over. */
async function served(listener: RequestListener): Promise<URL> {
  const server = createServer(listener)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`)
}

interface Answers {
  readonly ask: (forger?: typeof key, header?: Record<string, unknown>) => Promise<unknown>
  readonly storeCalls: readonly string[]
  readonly errors: readonly unknown[]
}

/** A vault whose tokens are checked with the keys of a JWKS; what it answers, and what the operator hears. */
async function vaultWithKeysFrom(keys: URL, timeout = 10_000): Promise<Answers> {
  const store = recordingStore()
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
    async ask(forger = key, header = {}) {
      const headers = { authorization: `Bearer ${forge(forger, vault.vaultId, { header })}` }
      const request = requestTo(vault, 'GET', vaultUrl(vault), { headers })
      return saidIn(await vault.handler(request)).status
    },
    storeCalls: store.calls,
    errors,
  }
}

describe('keys from a JWKS', () => {
  it('are fetched when they are first needed, and not again for each token', async () => {
    let fetched = 0
    const url = await served((_req, res) => {
      fetched += 1
      res.end(JSON.stringify({ keys: [key.publicJwk] }))
    })
    const { ask } = await vaultWithKeysFrom(url)
    expect(fetched).toBe(0)
    expect(await Promise.all(Array.from({ length: 20 }, () => ask()))).toEqual(Array(20).fill(200))
    expect(fetched).toBe(1)
  })

  it('are not fetched again and again for tokens with keys that nobody knows', async () => {
    let fetched = 0
    const url = await served((_req, res) => {
      fetched += 1
      res.end(JSON.stringify({ keys: [key.publicJwk] }))
    })
    const { ask, storeCalls } = await vaultWithKeysFrom(url)
    for (let round = 0; round < 20; round += 1) {
      expect(await ask(newTestKey(`stranger-${round}`))).toBe(401)
    }
    expect(fetched).toBe(1)
    expect(storeCalls).toEqual([])
  })

  it('are never fetched for a token that is refused without them', async () => {
    let fetched = 0
    const url = await served((_req, res) => {
      fetched += 1
      res.end(JSON.stringify({ keys: [key.publicJwk] }))
    })
    const { ask } = await vaultWithKeysFrom(url)
    expect(await ask(key, { alg: 'none' })).toBe(401)
    expect(await ask(key, { jku: 'https://a.test' })).toBe(401)
    expect(fetched).toBe(0)
  })

  it('are those that are published now, once the old ones are ten minutes old', async () => {
    let published = [key]
    const url = await served((_req, res) => {
      res.end(JSON.stringify({ keys: published.map(({ publicJwk }) => publicJwk) }))
    })
    const { ask } = await vaultWithKeysFrom(url)
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    expect(await ask()).toBe(200)
    published = [key, next]
    expect(await ask(next)).toBe(401)
    vi.advanceTimersByTime(31_000)
    expect([await ask(next), await ask()]).toEqual([200, 200])
    published = [next]
    expect([await ask(next), await ask()]).toEqual([200, 200])
    vi.advanceTimersByTime(601_000)
    expect([await ask(next), await ask()]).toEqual([200, 401])
  })

  it.each<[string, RequestListener]>([
    ['is answered with 500', (_req, res) => res.writeHead(500).end('{"keys":[]}')],
    [
      'leads elsewhere',
      (req, res) =>
        req.url === '/there'
          ? res.end(JSON.stringify({ keys: [key.publicJwk] }))
          : res.writeHead(302, { location: '/there' }).end(),
    ],
    ['is no JSON', (_req, res) => res.end('<html>')],
    ['is no set', (_req, res) => res.end('[]')],
    [
      'has a key that is private',
      (_req, res) => res.end(JSON.stringify({ keys: [privateJwk(key)] })),
    ],
    ['hangs up', (req) => req.socket.destroy()],
    ['never answers', () => {}],
  ])('that cannot be had are 503 and not 401: the address %s', async (_what, listener) => {
    const { ask, storeCalls, errors } = await vaultWithKeysFrom(await served(listener), 200)
    expect(await ask()).toBe(503)
    expect(storeCalls).toEqual([])
    expect(errors).toHaveLength(1)
  })

  it('that could not be had once are had when they are there', async () => {
    let isUp = false
    const url = await served((_req, res) => {
      res.writeHead(isUp ? 200 : 503).end(JSON.stringify({ keys: [key.publicJwk] }))
    })
    const { ask } = await vaultWithKeysFrom(url)
    expect(await ask()).toBe(503)
    isUp = true
    expect(await ask()).toBe(200)
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

/** Right signatures whose algorithm is another than the one that the key says it is for. */
const disagreeing: ReadonlySet<number> = new Set([346, 347, 350, 351])

/** The cases for signatures; the others are for shared secrets, which are never taken. */
function wycheproof(): JwsTest[] {
  if (folder === '') return []
  const text = readFileSync(join(folder, 'json_web_signature_test.json'), 'utf8')
  const file: { testGroups: { public?: JWK; tests: JwsTest[] }[] } = JSON.parse(text)
  return file.testGroups.flatMap(({ public: key, tests }) =>
    key === undefined ? [] : tests.map((test) => ({ ...test, key })),
  )
}

describe(`Wycheproof, JSON Web Signature${folder === '' ? ' (not run: WYCHEPROOF names no folder)' : ''}`, () => {
  const tests = wycheproof()

  it('is there as a whole, or not at all', () => {
    expect(tests.length).toBe(folder === '' ? 0 : 361)
  })

  it.each(tests)('case $tcId $comment: $result', async ({ tcId, jws, key, result }) => {
    const algorithms = [...jwtAlgorithms]
    const verified = compactVerify(jws, createKeyResolver([key]), { algorithms })
    const expected = disagreeing.has(tcId) ? 'invalid' : result
    expect(await verified.then(() => 'valid').catch(() => 'invalid')).toBe(expected)
  })

  it.each(tests)('case $tcId $comment is no token: it claims nothing', async ({ jws, key }) => {
    const options = { issuer, audience, keys: [key], algorithms: jwtAlgorithms }
    const answer = createJwtAuthenticator(options)(jws)
    await expect(answer).rejects.toThrow(UnauthorizedError)
  })
})
