import { describe, expect, it, vi } from 'vitest'
import { type BearerAuthenticator, bearerAuth } from '../../src/auth/bearer.js'
import { createJwtAuthenticator, createSigningKey, issueToken } from '../../src/auth/jwt.js'
import { UnauthorizedError } from '../../src/errors.js'
import { createCaller } from '../../src/index.js'
import { audience, issuer } from '../support/auth/forged-tokens.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { requestTo, saidIn, vaultUrl } from '../support/http/requests.js'
import { recordingStore } from '../support/stores/stores.js'

/** What the authenticator is asked about, and how it ends, for a header. */
async function asked(authorization: string | undefined): Promise<unknown> {
  const authenticator = vi.fn(async (token: string) => createCaller(token, '*'))
  const tokens = { full: '', reader: '', writer: '', otherVault: '' }
  const request = requestTo({ tokens }, 'GET', '/', { headers: { authorization } })
  const outcome = await bearerAuth(authenticator)(request).catch((error: unknown) => error)
  if (outcome instanceof UnauthorizedError) expect(authenticator).not.toHaveBeenCalled()
  return outcome instanceof UnauthorizedError ? 401 : Reflect.get(Object(outcome), 'id')
}

describe('bearer', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bEaReR abc', 'abc'],
    ['Bearer   abc', 'abc'],
    ['Bearer a-._~+/9==', 'a-._~+/9=='],
    [`Bearer ${'a'.repeat(8185)}`, 'a'.repeat(8185)],
  ])('takes the token out of %.40s', async (header, token) => {
    expect(await asked(header)).toBe(token)
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
    ['Token abc'],
    [`Bearer ${'a'.repeat(8186)}`],
  ])('asks nobody about %j: 401', async (header) => {
    expect(await asked(header)).toBe(401)
  })

  it('decides in no time about the longest header that looks almost like a token', async () => {
    const start = performance.now()
    expect(await asked(`Bearer ${'a='.repeat(4092)}`)).toBe(401)
    expect(await asked(`Bearer${' '.repeat(8186)}`)).toBe(401)
    expect(performance.now() - start).toBeLessThan(500)
  })
})

describe('an authenticator that is out of order', () => {
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

  /** The answer to a token, what of the store was asked for it, and how many errors the operator hears of. */
  async function answerOf(authenticator: BearerAuthenticator, token: string): Promise<unknown> {
    const store = recordingStore()
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
    const response = await vault.handler(requestTo(vault, 'GET', vaultUrl(vault), { headers }))
    return { ...saidIn(response), calls: store.calls, errors: errors.length }
  }

  const unavailable = {
    status: 503,
    body: { status: 503, message: expect.not.stringContaining('refused') },
    calls: [],
    errors: 1,
  }

  it.each(failing)('and %s lets nobody in and is 503, not 401', async (_how, authenticator) => {
    expect(await answerOf(authenticator, 'abc')).toEqual(unavailable)
  })

  it.each(revocations)('because isRevoked %s is 503, not 401', async (_how, isRevoked) => {
    const { privateKey, publicKey } = await createSigningKey()
    const ref = { issuer, audience }
    const { token } = await issueToken({
      ...ref,
      privateKey,
      subject: 'wendy',
      vaults: {},
      lifetimeSeconds: 60,
    })
    const authenticator = createJwtAuthenticator({ ...ref, keys: [publicKey], isRevoked })
    expect(await answerOf(authenticator, token)).toEqual(unavailable)
  })
})
