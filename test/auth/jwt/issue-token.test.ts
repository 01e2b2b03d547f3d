import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { bearerAuth } from '../../../src/auth/bearer.js'
import {
  createJwtAuthenticator,
  createSigningKey,
  type IssueTokenInput,
  issueToken,
  type JwtKey,
  type VaultPermission,
} from '../../../src/auth/jwt.js'
import { createCaller } from '../../../src/core/access/caller.js'
import { audience, issuer, newTestKey, privateJwk } from '../../support/auth/forged-tokens.js'
import { createRequest } from '../../support/http/requests.js'

const vaultId = 'v'.repeat(26)
const other = 'w'.repeat(26)
const key = newTestKey('key-1')
const noon = new Date('2026-01-01T12:00:00.900Z')
const input: IssueTokenInput = {
  privateKey: privateJwk(key) as JwtKey,
  issuer,
  audience,
  subject: 'wendy',
  vaults: { [vaultId]: 'read', [other]: 'read-write' },
  lifetimeSeconds: 3600,
  now: () => noon,
}

function partsOf(token: string): unknown[] {
  return token
    .split('.')
    .slice(0, 2)
    .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
}

function manyVaults(count: number): Record<string, VaultPermission> {
  const ids = Array.from({ length: count }, (_, index) => String(index).padStart(26, '0'))
  return Object.fromEntries(ids.map((id) => [id, 'read-write']))
}

/** Returns the token that `bearerAuth` reads from the header. */
async function bearerOf(token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  const tokens = { full: '', reader: '', writer: '', otherVault: '' }
  const request = createRequest({ tokens }, 'GET', '/', { headers })
  const caller = await bearerAuth(async (bearerToken) =>
    createCaller({ id: bearerToken, vaults: '*' }),
  )(request)
  return caller.id
}

describe('issueToken', () => {
  it('returns a token with the claims of the published service', async () => {
    const { token, jti, expiresAt } = await issueToken(input)
    const issuedAt = Date.parse('2026-01-01T12:00:00Z') / 1000
    expect(partsOf(token)).toEqual([
      { alg: 'ES256', typ: 'JWT', kid: 'key-1' },
      {
        '1password.com/vts': [
          { u: vaultId, a: 48 },
          { u: other, a: 496 },
        ],
        iss: issuer,
        aud: audience,
        sub: 'wendy',
        jti,
        iat: issuedAt,
        exp: issuedAt + 3600,
      },
    ])
    expect(expiresAt).toEqual(new Date('2026-01-01T13:00:00Z'))
  })

  it('signs the token so that node:crypto verifies it', async () => {
    const { token } = await issueToken(input)
    const [header, payload, signature = ''] = token.split('.')
    const publicKey = createPublicKey({ key: key.publicJwk, format: 'jwk' })
    const signed = Buffer.from(`${header}.${payload}`)
    const by = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
    expect(verify('sha256', signed, by, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  it('omits the kid when the key has none', async () => {
    const { kid: _, ...nameless } = privateJwk(key)
    const { token } = await issueToken({ ...input, privateKey: nameless as JwtKey })
    expect(partsOf(token)[0]).toEqual({ alg: 'ES256', typ: 'JWT' })
  })

  it('gives each token a new jti', async () => {
    const tokens = await Promise.all(Array.from({ length: 100 }, () => issueToken(input)))
    expect(new Set(tokens.map(({ jti }) => jti)).size).toBe(100)
    for (const { jti } of tokens) expect(jti).toMatch(/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/)
  })

  it('returns a token that createJwtAuthenticator accepts, with the system clock', async () => {
    const { privateKey, publicKey } = await createSigningKey()
    const { now: _, ...rest } = input
    const { token, jti } = await issueToken({ ...rest, privateKey })
    const caller = await createJwtAuthenticator({ issuer, audience, keys: [publicKey] })(token)
    expect([caller.id, caller.tokenId]).toEqual(['wendy', jti])
    expect([await caller.can('read', vaultId), await caller.can('write', vaultId)]).toEqual([
      true,
      false,
    ])
    expect(await caller.can('write', other)).toBe(true)
  })

  it('rejects with RangeError when there are too many vaults, and has room for 120', async () => {
    const { token } = await issueToken({ ...input, vaults: manyVaults(120) })
    expect(await bearerOf(token)).toBe(token)
    await expect(issueToken({ ...input, vaults: manyVaults(200) })).rejects.toThrow(
      new RangeError('the token is too long: it has too many vaults'),
    )
  })

  it('returns tokens as long as bearerAuth accepts, and no longer ones', async () => {
    let longest = ''
    for (let length = 5600; ; length += 1) {
      const subject = 'a'.repeat(length)
      const issued = await issueToken({ ...input, subject }).catch(() => undefined)
      if (issued === undefined) break
      longest = issued.token
    }
    expect(longest).toHaveLength(8185)
    expect(await bearerOf(longest)).toBe(longest)
  })

  it.each<[Partial<Record<keyof IssueTokenInput, unknown>>, string]>([
    [{ issuer: '' }, 'input.issuer must be a non-empty string'],
    [{ audience: undefined }, 'input.audience must be a non-empty string'],
    [{ subject: '' }, 'input.subject must be a non-empty string'],
    [{ subject: 7 }, 'input.subject must be a non-empty string'],
    [
      { lifetimeSeconds: '3600' },
      'input.lifetimeSeconds must be a whole number from 1 to 2,678,400 seconds',
    ],
    [{ vaults: '*' }, 'input.vaults must be permissions by vault id'],
    [{ vaults: { [vaultId]: 'admin' } }, 'input.vaults must be permissions by vault id'],
  ])('rejects with TypeError when the input has %j', async (changes, message) => {
    const issued = issueToken({ ...input, ...changes } as IssueTokenInput)
    await expect(issued).rejects.toThrow(new TypeError(message))
  })

  it.each([0, 1.5, 2_678_401, 3_600_000, Number.POSITIVE_INFINITY])(
    'rejects with RangeError when lifetimeSeconds is %d',
    async (lifetimeSeconds) => {
      await expect(issueToken({ ...input, lifetimeSeconds })).rejects.toThrow(
        new RangeError('input.lifetimeSeconds must be a whole number from 1 to 2,678,400 seconds'),
      )
    },
  )

  it('accepts a lifetime of 31 days', async () => {
    const { expiresAt } = await issueToken({ ...input, lifetimeSeconds: 31 * 86_400 })
    expect(expiresAt).toEqual(new Date('2026-02-01T12:00:00Z'))
  })

  it('accepts a lifetime of one second', async () => {
    const { expiresAt } = await issueToken({ ...input, lifetimeSeconds: 1 })
    expect(expiresAt).toEqual(new Date('2026-01-01T12:00:01Z'))
  })

  it.each([
    ['a public key', key.publicJwk],
    ['a shared secret', { kty: 'oct', k: 'c2VjcmV0' }],
  ])('rejects with TypeError when the key is %s', async (_what, privateKey) => {
    const issued = issueToken({ ...input, privateKey: privateKey as JwtKey })
    await expect(issued).rejects.toThrow(TypeError)
  })
})

describe('createSigningKey', () => {
  it('returns a new pair each time, and a public key without private members', async () => {
    const [one, two] = await Promise.all([createSigningKey(), createSigningKey()])
    expect(Object.keys(one.publicKey).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    const { d, ...rest } = one.privateKey
    expect([rest, d]).toEqual([one.publicKey, expect.stringMatching(/^[\w-]{43}$/)])
    expect(one.publicKey).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })
    expect(one.publicKey.kid).toMatch(/^[\w-]{43}$/)
    expect(one.publicKey.kid).not.toBe(two.publicKey.kid)
  })
})
