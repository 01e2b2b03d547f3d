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
import { requestTo } from '../../support/http/requests.js'

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

/** The token that `bearer` finds behind the word. */
async function bearerOf(token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  const tokens = { full: '', reader: '', writer: '', otherVault: '' }
  const request = requestTo({ tokens }, 'GET', '/', { headers })
  const found = await bearerAuth(async (read) => createCaller(read, '*'))(request)
  return found.id
}

describe('issueToken', () => {
  it('writes what the published service writes', async () => {
    const { token, jti: tokenId, expiresAt } = await issueToken(input)
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
        jti: tokenId,
        iat: issuedAt,
        exp: issuedAt + 3600,
      },
    ])
    expect(expiresAt).toEqual(new Date('2026-01-01T13:00:00Z'))
  })

  it('signs so that another reader of ES256 finds it right', async () => {
    const { token } = await issueToken(input)
    const [header, payload, signature = ''] = token.split('.')
    const publicKey = createPublicKey({ key: key.publicJwk, format: 'jwk' })
    const signed = Buffer.from(`${header}.${payload}`)
    const by = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const
    expect(verify('sha256', signed, by, Buffer.from(signature, 'base64url'))).toBe(true)
  })

  it('names no key that has no name', async () => {
    const { kid: _, ...nameless } = privateJwk(key)
    const { token } = await issueToken({ ...input, privateKey: nameless as JwtKey })
    expect(partsOf(token)[0]).toEqual({ alg: 'ES256', typ: 'JWT' })
  })

  it('gives each token a jti of its own', async () => {
    const tokens = await Promise.all(Array.from({ length: 100 }, () => issueToken(input)))
    expect(new Set(tokens.map(({ jti: tokenId }) => tokenId)).size).toBe(100)
    for (const { jti: tokenId } of tokens)
      expect(tokenId).toMatch(/^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/)
  })

  it('makes a token that the authenticator takes, with a new key and the clock of the machine', async () => {
    const { privateKey, publicKey } = await createSigningKey()
    const { now: _, ...rest } = input
    const { token, jti: tokenId } = await issueToken({ ...rest, privateKey })
    const caller = await createJwtAuthenticator({ issuer, audience, keys: [publicKey] })(token)
    expect([caller.id, caller.tokenId]).toEqual(['wendy', tokenId])
    expect([await caller.can('read', vaultId), await caller.can('write', vaultId)]).toEqual([
      true,
      false,
    ])
    expect(await caller.can('write', other)).toBe(true)
  })

  it('has room for 120 vaults, and says so when there are too many', async () => {
    const { token } = await issueToken({ ...input, vaults: manyVaults(120) })
    expect(await bearerOf(token)).toBe(token)
    await expect(issueToken({ ...input, vaults: manyVaults(200) })).rejects.toThrow(
      new RangeError('the token is too long: it has too many vaults'),
    )
  })

  it('makes tokens as long as bearer reads, and none that are longer', async () => {
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
    [{ issuer: '' }, 'issuer, audience and subject must be non-empty strings'],
    [{ audience: undefined }, 'issuer, audience and subject must be non-empty strings'],
    [{ subject: '' }, 'issuer, audience and subject must be non-empty strings'],
    [{ subject: 7 }, 'issuer, audience and subject must be non-empty strings'],
    [{ lifetimeSeconds: 0 }, 'lifetimeSeconds must be a whole number, 1 or more'],
    [{ lifetimeSeconds: 1.5 }, 'lifetimeSeconds must be a whole number, 1 or more'],
    [
      { lifetimeSeconds: Number.POSITIVE_INFINITY },
      'lifetimeSeconds must be a whole number, 1 or more',
    ],
    [{ lifetimeSeconds: '3600' }, 'lifetimeSeconds must be a whole number, 1 or more'],
    [{ vaults: '*' }, 'vaults must be permissions by vault id'],
    [{ vaults: { [vaultId]: 'admin' } }, 'vaults must be permissions by vault id'],
  ])('refuses %j with a TypeError', async (changes, message) => {
    const issued = issueToken({ ...input, ...changes } as IssueTokenInput)
    await expect(issued).rejects.toThrow(new TypeError(message))
  })

  it('lets a token last for a second', async () => {
    const { expiresAt } = await issueToken({ ...input, lifetimeSeconds: 1 })
    expect(expiresAt).toEqual(new Date('2026-01-01T12:00:01Z'))
  })

  it.each([
    ['a public key', key.publicJwk],
    ['a shared secret', { kty: 'oct', k: 'c2VjcmV0' }],
  ])('does not sign with %s: TypeError', async (_what, privateKey) => {
    const issued = issueToken({ ...input, privateKey: privateKey as JwtKey })
    await expect(issued).rejects.toThrow(TypeError)
  })
})

describe('createSigningKey', () => {
  it('makes a new pair each time, whose public half holds nothing private', async () => {
    const [one, two] = await Promise.all([createSigningKey(), createSigningKey()])
    expect(Object.keys(one.publicKey).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    const { d, ...rest } = one.privateKey
    expect([rest, d]).toEqual([one.publicKey, expect.stringMatching(/^[\w-]{43}$/)])
    expect(one.publicKey).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })
    expect(one.publicKey.kid).toMatch(/^[\w-]{43}$/)
    expect(one.publicKey.kid).not.toBe(two.publicKey.kid)
  })
})
