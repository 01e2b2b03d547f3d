import { describe, expect, it } from 'vitest'
import { createJwtAuthenticator, type JwtAuthenticatorOptions } from '../../src/auth/jwt.js'
import { audience, forge, issuer } from '../support/auth/forged-tokens.js'
import {
  createNoonAuthenticator,
  createToken,
  jwks,
  key,
  nextKey,
  nowSeconds,
  otherVaultId,
  outcome,
  vaultId,
} from '../support/auth/jwt-at-noon.js'

describe('createJwtAuthenticator', () => {
  it('returns the caller of the token with its permissions and its tokenId', async () => {
    const caller = await createNoonAuthenticator()(createToken())
    expect([caller.id, caller.tokenId]).toEqual(['wendy', 'token-1'])
    for (const permission of ['read', 'write'] as const) {
      expect(await caller.can(permission, vaultId)).toBe(true)
      expect(await caller.can(permission, otherVaultId)).toBe(false)
    }
  })

  it('uses the clock of the system unless it has the option now', async () => {
    const authenticate = createJwtAuthenticator({ issuer, audience, keys: jwks(key) })
    expect(await outcome(authenticate(forge(key, vaultId)))).toBe('wendy')
    expect(await outcome(authenticate(createToken()))).toBe(401)
  })

  it('accepts a token when its audience is one of several', async () => {
    const several = createToken({ claims: { aud: ['another', audience] } })
    expect(await outcome(createNoonAuthenticator()(several))).toBe('wendy')
  })

  it('rejects with the same message for every reason, and without a cause', async () => {
    const error = await createNoonAuthenticator()(createToken({ claims: { exp: 1 } })).catch(
      (thrown) => thrown,
    )
    expect(error).toMatchObject({ status: 401, message: 'Invalid bearer token' })
    expect(error.cause).toBeUndefined()
  })

  it.each<[Record<string, unknown>, unknown]>([
    [{ exp: nowSeconds - 29 }, 'wendy'],
    [{ exp: nowSeconds - 30 }, 401],
    [{ nbf: nowSeconds + 30 }, 'wendy'],
    [{ nbf: nowSeconds + 31 }, 401],
    [{ iat: nowSeconds + 30 }, 'wendy'],
    [{ iat: nowSeconds + 31 }, 401],
    [{ iat: undefined }, 'wendy'],
  ])('tolerates a difference of 30 seconds between clocks: %j', async (claims, expected) => {
    expect(await outcome(createNoonAuthenticator()(createToken({ claims })))).toBe(expected)
  })

  it.each<[Record<string, unknown>, unknown]>([
    [{ exp: nowSeconds + 1 }, 'wendy'],
    [{ exp: nowSeconds }, 401],
    [{ nbf: nowSeconds }, 'wendy'],
    [{ nbf: nowSeconds + 1 }, 401],
    [{ iat: nowSeconds }, 'wendy'],
    [{ iat: nowSeconds + 1 }, 401],
  ])(
    'tolerates no difference between clocks when clockToleranceSeconds is 0: %j',
    async (claims, expected) => {
      const strict = createNoonAuthenticator({ clockToleranceSeconds: 0 })
      expect(await outcome(strict(createToken({ claims })))).toBe(expected)
    },
  )

  it('accepts a token without exp only when requireExpiry is false', async () => {
    const eternal = createToken({ claims: { exp: undefined } })
    expect(await outcome(createNoonAuthenticator()(eternal))).toBe(401)
    expect(await outcome(createNoonAuthenticator({ requireExpiry: true })(eternal))).toBe(401)
    expect(await outcome(createNoonAuthenticator({ requireExpiry: false })(eternal))).toBe('wendy')
    const expired = createToken({ claims: { exp: nowSeconds - 60 } })
    expect(await outcome(createNoonAuthenticator({ requireExpiry: false })(expired))).toBe(401)
  })

  it('returns a caller who expires with the token, after the tolerated difference', async () => {
    const untilOf = async (exp: number | undefined, changes: Partial<JwtAuthenticatorOptions>) =>
      (await createNoonAuthenticator(changes)(createToken({ claims: { exp } }))).expiresAt
    const exp = nowSeconds + 60
    expect(await untilOf(exp, {})).toEqual(new Date((exp + 30) * 1000))
    expect(await untilOf(exp, { clockToleranceSeconds: 0 })).toEqual(new Date(exp * 1000))
    expect(await untilOf(1e300, {})).toEqual(new Date(8.64e15))
    expect(await untilOf(undefined, { requireExpiry: false })).toBeUndefined()
  })

  it('rejects with the error of the clock when the clock fails', async () => {
    const now = (): Date => new Date(Number.NaN)
    expect(await outcome(createNoonAuthenticator({ now })(createToken()))).toBeInstanceOf(TypeError)
    const nameless = createToken({ header: { kid: undefined } })
    const both = createNoonAuthenticator({ now, keys: jwks(key, nextKey) })
    expect(await outcome(both(nameless))).toBeInstanceOf(TypeError)
  })
})

describe('createJwtAuthenticator options', () => {
  it.each<[Partial<Record<keyof JwtAuthenticatorOptions, unknown>>, string]>([
    [{ issuer: undefined }, 'options.issuer must be a non-empty string'],
    [{ issuer: '' }, 'options.issuer must be a non-empty string'],
    [{ audience: undefined }, 'options.audience must be a non-empty string'],
    [{ audience: '' }, 'options.audience must be a non-empty string'],
    [
      { scopes: { claim: '', parse: () => '*' } },
      'options.scopes.claim must be a non-empty string',
    ],
    [
      { clockToleranceSeconds: 'soon' },
      'options.clockToleranceSeconds must be a number from 0 to 600 seconds',
    ],
  ])('throws TypeError when an option is invalid: %j', (changes, message) => {
    const make = (): unknown => createNoonAuthenticator(changes as Partial<JwtAuthenticatorOptions>)
    expect(make).toThrow(new TypeError(message))
  })

  it.each([-1, 601, 30_000, Number.NaN, Number.POSITIVE_INFINITY])(
    'throws RangeError when clockToleranceSeconds is %d',
    (clockToleranceSeconds) => {
      expect(() => createNoonAuthenticator({ clockToleranceSeconds })).toThrow(
        new RangeError('options.clockToleranceSeconds must be a number from 0 to 600 seconds'),
      )
    },
  )
})

describe('createJwtAuthenticator scopes', () => {
  it('parses the permissions from the claim of the given ScopeReader', async () => {
    const scopes = {
      claim: 'https://example.test/vaults',
      parse: (value: unknown) => (value === 'all' ? ('*' as const) : undefined),
    }
    const authenticate = createNoonAuthenticator({ scopes })
    const all = await authenticate(createToken({ claims: { [scopes.claim]: 'all' } }))
    expect(await all.can('write', otherVaultId)).toBe(true)
    expect(await outcome(authenticate(createToken({ claims: { [scopes.claim]: 'some' } })))).toBe(
      401,
    )
    expect(await outcome(authenticate(createToken()))).toBe(401)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no such scope')
      },
    ],
    ['returns an unknown permission', () => ({ [vaultId]: 'admin' })],
    ['returns null', () => null],
    ['returns a promise', async () => ({ [vaultId]: 'read' })],
    ['returns an array', () => [vaultId]],
    ['returns a Map', () => new Map([[vaultId, 'read']])],
    ['returns true', () => true],
    ['returns a number', () => 42],
    ['returns undefined', () => undefined],
  ])('rejects the token when parse %s', async (_what, parse) => {
    const authenticate = createNoonAuthenticator({
      scopes: { claim: 'a', parse: () => parse() as '*' },
    })
    expect(await outcome(authenticate(createToken({ claims: { a: 1 } })))).toBe(401)
  })

  it('does not read an inherited property as the claim', async () => {
    const scopes = { claim: 'constructor', parse: () => '*' as const }
    expect(await outcome(createNoonAuthenticator({ scopes })(createToken()))).toBe(401)
  })
})

describe('createJwtAuthenticator isRevoked', () => {
  it('is called with the jti of each token that is otherwise valid, on each request', async () => {
    const tokenIds: string[] = []
    const authenticate = createNoonAuthenticator({
      isRevoked: async (tokenId) => {
        tokenIds.push(tokenId)
        return tokenIds.length > 1
      },
    })
    expect(await outcome(authenticate(createToken({ claims: { exp: 1 } })))).toBe(401)
    expect(await outcome(authenticate(createToken({ claims: { sub: '' } })))).toBe(401)
    expect(await outcome(authenticate(createToken({ claims: { '1password.com/vts': 1 } })))).toBe(
      401,
    )
    expect(tokenIds).toEqual([])
    expect(await outcome(authenticate(createToken()))).toBe('wendy')
    expect(await outcome(authenticate(createToken()))).toBe(401)
    expect(tokenIds).toEqual(['token-1', 'token-1'])
  })

  it.each([true, undefined, null, 0, '', 'no'])(
    'rejects the token when isRevoked returns %j',
    async (result) => {
      const authenticate = createNoonAuthenticator({ isRevoked: () => result as boolean })
      expect(await outcome(authenticate(createToken()))).toBe(401)
    },
  )

  it('rejects with the error of isRevoked when isRevoked fails', async () => {
    const failure = new Error('no connection')
    const authenticate = createNoonAuthenticator({ isRevoked: () => Promise.reject(failure) })
    expect(await outcome(authenticate(createToken()))).toBe(failure)
  })

  it('is called as a method of the options', async () => {
    const revoked = new Set(['token-1'])
    const options = {
      isRevoked(tokenId: string): boolean {
        return 'issuer' in this && revoked.has(tokenId)
      },
    }
    expect(await outcome(createNoonAuthenticator(options)(createToken()))).toBe(401)
  })
})
