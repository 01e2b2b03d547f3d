import { describe, expect, it, vi } from 'vitest'
import { type BearerAuthenticator, bearerAuth } from '../../src/auth/bearer.js'
import { createJwtAuthenticator, createSigningKey, issueToken } from '../../src/auth/jwt.js'
import { UnauthorizedError } from '../../src/errors.js'
import { createCaller } from '../../src/index.js'
import { audience, issuer } from '../support/auth/forged-tokens.js'
import { measureCpuTime } from '../support/cpu-time.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, parseResponse, vaultUrl } from '../support/http/requests.js'
import { runAll } from '../support/run-all.js'
import { createRecordingStore } from '../support/stores/stores.js'

/** Returns the token that the authenticator is called with, or 401 if it is not called. */
async function tokenFrom(authorization: string | undefined): Promise<unknown> {
  const authenticator = vi.fn(async (token: string) => createCaller({ id: token, vaults: '*' }))
  const tokens = { full: '', reader: '', writer: '', otherVault: '' }
  const request = createRequest({ tokens }, 'GET', '/', { headers: { authorization } })
  const outcome = await Promise.resolve()
    .then(() => bearerAuth(authenticator)(request))
    .catch((error: unknown) => error)
  if (outcome instanceof UnauthorizedError) expect(authenticator).not.toHaveBeenCalled()
  return outcome instanceof UnauthorizedError ? 401 : Reflect.get(Object(outcome), 'id')
}

describe('bearerAuth', () => {
  it.each([undefined, null, false] as const)(
    'answers 401 when the authenticator returns %s, with and without a promise',
    async (nobody) => {
      for (const authenticator of [() => nobody, async () => nobody]) {
        const vault = await createTestVault({}, { authenticate: bearerAuth(authenticator) })
        const response = await vault.handler(createRequest(vault, 'GET', vaultUrl(vault)))
        expect(await parseResponse(response)).toMatchObject({
          status: 401,
          body: { message: 'Invalid bearer token' },
        })
      }
    },
  )

  it.each([
    ['Bearer abc', 'abc'],
    ['bEaReR abc', 'abc'],
    ['Bearer   abc', 'abc'],
    ['Authorization: Bearer abc', 'abc'],
    ['authorization:Bearer abc', 'abc'],
    ['Bearer a-._~+/9==', 'a-._~+/9=='],
    [`Bearer ${'a'.repeat(8185)}`, 'a'.repeat(8185)],
  ])('calls the authenticator with the token of the header %.40s', async (header, token) => {
    expect(await tokenFrom(header)).toBe(token)
  })

  it.each([
    [undefined],
    [''],
    ['Bearer'],
    ['Bearer '],
    ['Bearer ='],
    ['Bearer a=b'],
    ['Bearerabc'],
    ['Bearer\tabc'],
    ['Bearer\u00a0abc'],
    [' Bearer abc'],
    ['Bearer abc '],
    ['Bearer abc\n'],
    ['Bearer abc def'],
    ['Bearer abc, Bearer abc'],
    ['Bearer äbc'],
    ['Bearer abc\u0000'],
    ['Basic abc'],
    ['Authorization: Basic abc'],
    ['Authorization: abc'],
    ['Authorization Bearer abc'],
    ['Authorization: Authorization: Bearer abc'],
    ['Proxy-Authorization: Bearer abc'],
    ['Basic Authorization: Bearer abc'],
    ['Token abc'],
    [`Bearer ${'a'.repeat(8186)}`],
  ])('rejects with 401 without calling the authenticator when the header is %j', async (header) => {
    expect(await tokenFrom(header)).toBe(401)
  })

  it.runIf(runAll)(
    'rejects within 500 ms when the longest header almost has the form of a token',
    async () => {
      const cpuTime = measureCpuTime()
      expect(await tokenFrom(`Bearer ${'a='.repeat(4092)}`)).toBe(401)
      expect(await tokenFrom(`Bearer${' '.repeat(8186)}`)).toBe(401)
      expect(await tokenFrom(`Authorization:${' '.repeat(8178)}`)).toBe(401)
      expect(cpuTime()).toBeLessThan(500)
    },
  )
})

describe('bearerAuth with a failing authenticator', () => {
  const failure = new Error('connection refused')
  const failing: readonly (readonly [string, BearerAuthenticator])[] = [
    ['rejects', () => Promise.reject(failure)],
    [
      'throws',
      () => {
        throw failure
      },
    ],
    ['rejects with nothing', () => Promise.reject(undefined)],
    ['hangs', () => new Promise(() => {})],
  ]
  const revocations: readonly (readonly [string, () => Promise<boolean>])[] = [
    ['rejects', () => Promise.reject(failure)],
    ['hangs', () => new Promise(() => {})],
  ]

  /**
   * Returns the response to a token, the calls of the store, and the number of calls of `onError`.
   */
  async function responseTo(authenticator: BearerAuthenticator, token: string): Promise<unknown> {
    const store = createRecordingStore()
    const errors: unknown[] = []
    const vault = await createTestVault(
      { store },
      {
        authenticate: bearerAuth(authenticator),
        authenticationTimeoutMs: 50,
        onError: (error) => errors.push(error),
      },
    )
    store.calls.length = 0
    const headers = { authorization: `Bearer ${token}` }
    const response = await vault.handler(createRequest(vault, 'GET', vaultUrl(vault), { headers }))
    return { ...parseResponse(response), calls: store.calls, errors: errors.length }
  }

  const unavailable = {
    status: 503,
    body: { status: 503, message: expect.not.stringContaining('refused') },
    calls: [],
    errors: 1,
  }

  it.each(failing)(
    'responds with 503 and not 401 when the authenticator %s',
    async (_how, authenticator) => {
      expect(await responseTo(authenticator, 'abc')).toEqual(unavailable)
    },
  )

  it.each(revocations)(
    'responds with 503 and not 401 when isRevoked %s',
    async (_how, isRevoked) => {
      const { privateKey, publicKey } = await createSigningKey()
      const options = { issuer, audience }
      const { token } = await issueToken({
        ...options,
        privateKey,
        subject: 'wendy',
        vaults: {},
        lifetimeSeconds: 60,
      })
      const authenticator = createJwtAuthenticator({ ...options, keys: [publicKey], isRevoked })
      expect(await responseTo(authenticator, token)).toEqual(unavailable)
    },
  )
})
