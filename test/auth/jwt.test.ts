import { describe, expect, it } from 'vitest'
import { createJwtAuthenticator, type JwtAuthenticatorOptions } from '../../src/auth/jwt.js'
import { audience, forge, issuer } from '../support/auth/forged-tokens.js'
import {
  authenticator,
  jwks,
  key,
  next,
  other,
  outcome,
  seconds,
  token,
  vaultId,
} from '../support/auth/jwt-at-noon.js'

describe('createJwtAuthenticator', () => {
  it('answers who the token belongs to, with its rights and its jti', async () => {
    const caller = await authenticator()(token())
    expect([caller.id, caller.tokenId]).toEqual(['wendy', 'token-1'])
    for (const permission of ['read', 'write'] as const) {
      expect(await caller.can(permission, vaultId)).toBe(true)
      expect(await caller.can(permission, other)).toBe(false)
    }
  })

  it('takes the clock of the machine unless it is given one', async () => {
    const authenticate = createJwtAuthenticator({ issuer, audience, keys: jwks(key) })
    expect(await outcome(authenticate(forge(key, vaultId)))).toBe('wendy')
    expect(await outcome(authenticate(token()))).toBe(401)
  })

  it('takes a token whose audience is one of several', async () => {
    const several = token({ claims: { aud: ['another', audience] } })
    expect(await outcome(authenticator()(several))).toBe('wendy')
  })

  it('says of every refusal the same, and keeps nothing of the token', async () => {
    const error = await authenticator()(token({ claims: { exp: 1 } })).catch((thrown) => thrown)
    expect(error).toMatchObject({ status: 401, message: 'Invalid bearer token' })
    expect(error.cause).toBeUndefined()
  })

  it.each<[Record<string, unknown>, unknown]>([
    [{ exp: seconds - 29 }, 'wendy'],
    [{ exp: seconds - 30 }, 401],
    [{ nbf: seconds + 30 }, 'wendy'],
    [{ nbf: seconds + 31 }, 401],
    [{ iat: seconds + 30 }, 'wendy'],
    [{ iat: seconds + 31 }, 401],
    [{ iat: undefined }, 'wendy'],
  ])('lets clocks differ by 30 seconds: %j', async (claims, expected) => {
    expect(await outcome(authenticator()(token({ claims })))).toBe(expected)
  })

  it.each<[Record<string, unknown>, unknown]>([
    [{ exp: seconds + 1 }, 'wendy'],
    [{ exp: seconds }, 401],
    [{ nbf: seconds }, 'wendy'],
    [{ nbf: seconds + 1 }, 401],
    [{ iat: seconds }, 'wendy'],
    [{ iat: seconds + 1 }, 401],
  ])('lets clocks not differ when it is told so: %j', async (claims, expected) => {
    const strict = authenticator({ clockToleranceSeconds: 0 })
    expect(await outcome(strict(token({ claims })))).toBe(expected)
  })

  it('takes a token that does not expire only when it is told so', async () => {
    const eternal = token({ claims: { exp: undefined } })
    expect(await outcome(authenticator()(eternal))).toBe(401)
    expect(await outcome(authenticator({ requireExpiry: true })(eternal))).toBe(401)
    expect(await outcome(authenticator({ requireExpiry: false })(eternal))).toBe('wendy')
    const expired = token({ claims: { exp: seconds - 60 } })
    expect(await outcome(authenticator({ requireExpiry: false })(expired))).toBe(401)
  })

  it('lets the failure of a clock out', async () => {
    const now = (): Date => new Date(Number.NaN)
    expect(await outcome(authenticator({ now })(token()))).toBeInstanceOf(TypeError)
    const nameless = token({ header: { kid: undefined } })
    const both = authenticator({ now, keys: jwks(key, next) })
    expect(await outcome(both(nameless))).toBeInstanceOf(TypeError)
  })
})

describe('other options of createJwtAuthenticator', () => {
  it.each<[Partial<Record<keyof JwtAuthenticatorOptions, unknown>>, string]>([
    [{ issuer: undefined }, 'issuer, audience and the claim of scopes must be non-empty strings'],
    [{ issuer: '' }, 'issuer, audience and the claim of scopes must be non-empty strings'],
    [{ audience: undefined }, 'issuer, audience and the claim of scopes must be non-empty strings'],
    [{ audience: '' }, 'issuer, audience and the claim of scopes must be non-empty strings'],
    [
      { scopes: { claim: '', parse: () => '*' } },
      'issuer, audience and the claim of scopes must be non-empty strings',
    ],
    [{ clockToleranceSeconds: -1 }, 'clockToleranceSeconds must be a finite number, 0 or more'],
    [
      { clockToleranceSeconds: Number.NaN },
      'clockToleranceSeconds must be a finite number, 0 or more',
    ],
    [
      { clockToleranceSeconds: Number.POSITIVE_INFINITY },
      'clockToleranceSeconds must be a finite number, 0 or more',
    ],
    [{ clockToleranceSeconds: 'soon' }, 'clockToleranceSeconds must be a finite number, 0 or more'],
  ])('are checked when it is made: %j', (changes, message) => {
    const make = (): unknown => authenticator(changes as Partial<JwtAuthenticatorOptions>)
    expect(make).toThrow(new TypeError(message))
  })
})

describe('the scopes of createJwtAuthenticator', () => {
  it('are read from the claim that is named, by the reader that is given', async () => {
    const scopes = {
      claim: 'https://example.test/vaults',
      parse: (value: unknown) => (value === 'all' ? ('*' as const) : undefined),
    }
    const authenticate = authenticator({ scopes })
    const all = await authenticate(token({ claims: { [scopes.claim]: 'all' } }))
    expect(await all.can('write', other)).toBe(true)
    expect(await outcome(authenticate(token({ claims: { [scopes.claim]: 'some' } })))).toBe(401)
    expect(await outcome(authenticate(token()))).toBe(401)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no such scope')
      },
    ],
    ['answers an unknown right', () => ({ [vaultId]: 'admin' })],
    ['answers null', () => null],
    ['answers a promise', async () => ({ [vaultId]: 'read' })],
    ['answers a list', () => [vaultId]],
    ['answers a Map', () => new Map([[vaultId, 'read']])],
    ['answers true', () => true],
    ['answers a number', () => 42],
    ['answers nothing', () => undefined],
  ])('let nobody in when the reader %s', async (_what, read) => {
    const authenticate = authenticator({ scopes: { claim: 'a', parse: () => read() as '*' } })
    expect(await outcome(authenticate(token({ claims: { a: 1 } })))).toBe(401)
  })

  it('are not found among inherited names', async () => {
    const scopes = { claim: 'constructor', parse: () => '*' as const }
    expect(await outcome(authenticator({ scopes })(token()))).toBe(401)
  })
})

describe('isRevoked', () => {
  it('is asked about the jti of each token that is otherwise in order, on each request', async () => {
    const asked: string[] = []
    const authenticate = authenticator({
      isRevoked: async (tokenId) => {
        asked.push(tokenId)
        return asked.length > 1
      },
    })
    expect(await outcome(authenticate(token({ claims: { exp: 1 } })))).toBe(401)
    expect(await outcome(authenticate(token({ claims: { sub: '' } })))).toBe(401)
    expect(await outcome(authenticate(token({ claims: { '1password.com/vts': 1 } })))).toBe(401)
    expect(asked).toEqual([])
    expect(await outcome(authenticate(token()))).toBe('wendy')
    expect(await outcome(authenticate(token()))).toBe(401)
    expect(asked).toEqual(['token-1', 'token-1'])
  })

  it.each([true, undefined, null, 0, '', 'no'])(
    'lets nobody in by answering %j',
    async (answer) => {
      const authenticate = authenticator({ isRevoked: () => answer as boolean })
      expect(await outcome(authenticate(token()))).toBe(401)
    },
  )

  it('lets its failure out', async () => {
    const failure = new Error('no connection')
    const authenticate = authenticator({ isRevoked: () => Promise.reject(failure) })
    expect(await outcome(authenticate(token()))).toBe(failure)
  })

  it('is called on the options, so that it may be a method', async () => {
    const options = {
      revoked: new Set(['token-1']),
      isRevoked(tokenId: string): boolean {
        return this.revoked.has(tokenId)
      },
    }
    expect(await outcome(authenticator(options)(token()))).toBe(401)
  })
})
