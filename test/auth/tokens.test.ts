import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  createToken,
  createTokenAuthenticator,
  hashToken,
  type StaticToken,
} from '../../src/auth/tokens.js'
import type { Caller } from '../../src/core/access/caller.js'
import { UnauthorizedError } from '../../src/errors.js'
import { propertyRuns } from '../support/arbitraries/property-runs.js'

const sha256 = (token: string): string => createHash('sha256').update(token).digest('hex')
const vaultIds = Array.from({ length: 100 }, (_, index) => String(index).padStart(26, '0'))
const tokens: readonly StaticToken[] = vaultIds.map((vaultId, index) => ({
  id: `caller ${index}`,
  sha256: sha256(`token ${index}`),
  vaults: { [vaultId]: index % 2 ? 'read' : 'read-write' },
}))

describe('hashToken', () => {
  it('returns the same digest as node:crypto for any token', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), async (token) => {
        expect(await hashToken(token)).toBe(sha256(token))
      }),
      { numRuns: propertyRuns() },
    )
  })
})

describe('createToken', () => {
  it('returns a new token of 256 bits in base64url, with its digest', async () => {
    const created = await Promise.all(Array.from({ length: 1000 }, createToken))
    expect(new Set(created.map(({ token }) => token)).size).toBe(1000)
    for (const { token, sha256: digest } of created) {
      expect(token).toMatch(/^[\w-]{43}$/)
      expect(Buffer.from(token, 'base64url')).toHaveLength(32)
      expect(digest).toBe(sha256(token))
    }
    const letters = new Set(created.flatMap(({ token }) => [...token]))
    expect(letters.size).toBe(64)
  })

  it('returns a digest that createTokenAuthenticator accepts', async () => {
    const { token, sha256 } = await createToken()
    const authenticate = createTokenAuthenticator({ tokens: [{ id: 'a', sha256, vaults: '*' }] })
    expect((await authenticate(token)).id).toBe('a')
  })
})

describe('createTokenAuthenticator', () => {
  it('returns the caller of each token, with its own permissions and no others', async () => {
    const authenticate = createTokenAuthenticator({ tokens })
    for (const [index, vaultId] of vaultIds.entries()) {
      const caller = await authenticate(`token ${index}`)
      expect(caller.id).toBe(`caller ${index}`)
      expect(await caller.can('write', vaultId)).toBe(index % 2 === 0)
      for (const other of vaultIds) expect(await caller.can('read', other)).toBe(other === vaultId)
    }
  })

  it('lets only tokens with createVaults create vaults', async () => {
    const creator = { id: 'a', sha256: sha256('a'), vaults: {}, createVaults: true }
    const authenticate = createTokenAuthenticator({ tokens: [creator, ...tokens] })
    const [vaultId = ''] = vaultIds
    expect((await authenticate('a')).can('create', vaultId)).toBe(true)
    expect((await authenticate('token 0')).can('create', vaultId)).toBe(false)
  })

  it('returns a caller without a promise when the token is cached', async () => {
    const authenticate = createTokenAuthenticator({ tokens })
    const first = authenticate('token 7')
    expect(first).toBeInstanceOf(Promise)
    expect(authenticate('token 7')).toBeInstanceOf(Promise)
    const caller = await first
    expect(authenticate('token 7')).toBe(caller)
  })

  it('returns the same caller again, also after an unknown token', async () => {
    const authenticate = createTokenAuthenticator({ tokens })
    const first = await authenticate('token 7')
    await expect(authenticate('token 700')).rejects.toThrow(UnauthorizedError)
    expect(await authenticate('token 7')).toBe(first)
  })

  it.each([
    ['an unknown token', 'unknown'],
    ['an empty token', ''],
    ['a digest instead of a token', tokens[0]?.sha256 ?? ''],
    ['another letter case', 'TOKEN 0'],
    ['the beginning of a token', 'token'],
  ])('rejects %s', async (_what, token) => {
    const unknown = createTokenAuthenticator({ tokens })(token)
    await expect(unknown).rejects.toMatchObject({ status: 401, message: 'Invalid bearer token' })
  })

  it('rejects every token when the list is empty', async () => {
    await expect(createTokenAuthenticator({ tokens: [] })('')).rejects.toThrow(UnauthorizedError)
  })

  it('accepts digests in upper case', async () => {
    const capital = { id: 'a', sha256: sha256('a').toUpperCase(), vaults: '*' } as const
    expect((await createTokenAuthenticator({ tokens: [capital] })('a')).id).toBe('a')
  })

  it.each([
    ['short', 'ab'.repeat(31)],
    ['long', 'ab'.repeat(33)],
    ['not hexadecimal', 'xy'.repeat(32)],
    ['a line longer', `${'ab'.repeat(32)}\n`],
    ['the token itself', 'my-secret-token'],
    ['absent', undefined],
  ])('throws TypeError without the digest when a digest is %s', (_what, digest) => {
    const make = (): unknown =>
      createTokenAuthenticator({ tokens: [{ id: 'a', sha256: digest as string, vaults: '*' }] })
    expect(make).toThrow(TypeError)
    expect(make).toThrow(/^options\.tokens\[0\]\.sha256 must be 64 hexadecimal digits: create/)
  })

  it('throws TypeError when a permission is unknown', () => {
    const vaults = { [vaultIds[0] as string]: 'admin' as 'read' }
    expect(() =>
      createTokenAuthenticator({ tokens: [{ id: 'a', sha256: sha256('a'), vaults }] }),
    ).toThrow(TypeError)
  })

  it('throws TypeError when an id is empty', async () => {
    const { sha256 } = await createToken()
    const make = () => createTokenAuthenticator({ tokens: [{ id: '', sha256, vaults: '*' }] })
    expect(make).toThrow(
      new TypeError('options.tokens[0].id must be a non-empty string or a whole number'),
    )
  })

  it('throws TypeError when a digest occurs twice', () => {
    const one = { id: 'a', sha256: sha256('a'), vaults: '*' } as const
    const two = { id: 'b', sha256: sha256('a').toUpperCase(), vaults: {} }
    const make = (): unknown => createTokenAuthenticator({ tokens: [one, two] })
    expect(make).toThrow(new TypeError('options.tokens must not contain a sha256 twice'))
  })

  it('caches valid tokens only', async () => {
    const authenticate = createTokenAuthenticator({ tokens })
    const sets = vi.spyOn(Map.prototype, 'set')
    // The test runner has maps of its own, so that only callers count.
    const cached = (): number =>
      sets.mock.calls.filter(([, value]) => typeof (value as Partial<Caller>)?.can === 'function')
        .length
    try {
      for (let index = 0; index < 100; index += 1)
        await expect(authenticate(`unknown ${index}`)).rejects.toThrow(UnauthorizedError)
      expect(cached()).toBe(0)
      for (let index = 0; index < 100; index += 1) await authenticate('token 3')
      expect(cached()).toBe(1)
    } finally {
      sets.mockRestore()
    }
  })

  it('copies the list and its permissions', async () => {
    const vaults: Record<string, 'read' | 'read-write'> = { [vaultIds[0] as string]: 'read' }
    const list = [{ id: 'a', sha256: sha256('a'), vaults }]
    const authenticate = createTokenAuthenticator({ tokens: list })
    vaults[vaultIds[1] as string] = 'read-write'
    list[0] = { id: 'b', sha256: sha256('b'), vaults }
    const caller = await authenticate('a')
    expect([caller.id, await caller.can('read', vaultIds[1] as string)]).toEqual(['a', false])
    await expect(authenticate('b')).rejects.toThrow(UnauthorizedError)
  })

  it('gives no permission for the name of an inherited property', async () => {
    const caller = await createTokenAuthenticator({ tokens })('token 0')
    expect(await caller.can('read', 'constructor')).toBe(false)
    expect(await caller.can('read', '__proto__')).toBe(false)
  })

  it.each(['token 0', 'token 50', 'token 99', 'unknown'])(
    'compares every byte of every digest for %j, at any position in the list',
    async (token) => {
      const authenticate = createTokenAuthenticator({ tokens })
      const entries = vi.spyOn(Object.getPrototypeOf(Uint8Array.prototype), 'entries')
      try {
        await Promise.resolve(authenticate(token)).catch(() => undefined)
        expect(entries).toHaveBeenCalledTimes(tokens.length)
      } finally {
        entries.mockRestore()
      }
    },
  )

  it('gives the caller the options of createCaller', async () => {
    const [vaultId = ''] = vaultIds
    const expiresAt = new Date('2026-01-01')
    const use = [{ methods: ['GET'] }]
    const token: StaticToken = { id: 'agent', sha256: sha256('a'), vaults: { [vaultId]: 'use' } }
    const authenticate = createTokenAuthenticator({ tokens: [{ ...token, expiresAt, use }] })
    expect(await authenticate('a')).toMatchObject({ expiresAt, use })
    expect(await (await authenticate('a')).can('use', vaultId)).toBe(true)
  })
})
