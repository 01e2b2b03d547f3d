import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper, type GrantSource, newGrant } from 'cofferkit/oauth'
import { describe, expect, it } from 'vitest'
import { notFoundError } from '../../src/base/fixed-errors.js'
import { RuleError } from '../../src/index.js'
import { createMemoryGrants } from '../support/oauth/broken-grant-sources.js'

const fail = async (): Promise<never> => {
  throw new Error('SWORDFISH')
}

/** Creates a keeper of grants in memory whose tokens have expired. */
function setUp(changes: Partial<GrantSource<string, unknown>> = {}) {
  const { rows, ...grants } = createMemoryGrants()
  const keeper = createTokenKeeper<string, unknown>({
    grants: { ...grants, ...changes },
    leases: createMemoryStore().records,
    leaseMs: 100,
    refresh: async (refreshToken) => ({
      accessToken: `next of ${refreshToken}`,
      refreshToken: `${refreshToken}+`,
      expiresInSeconds: 3600,
    }),
  })
  return { rows, grants, keeper }
}

describe('createTokenKeeper over a source of the embedder', () => {
  it('refreshes a grant and replaces it', async () => {
    const { keeper, rows } = setUp()
    expect(await keeper.accessToken('mail', undefined)).toBe('next of r0')
    expect(rows.get('mail')?.grant).toMatchObject({ refreshToken: 'r0+', status: 'ok', reason: '' })
    expect(rows.get('files')?.version).toBe(1)
  })

  it('rejects with NotFoundError when the grant does not exist', async () => {
    const call = setUp().keeper.accessToken('none', undefined)
    await expect(call).rejects.toEqual(notFoundError('grant', 'none'))
  })

  it.each<[string, Partial<GrantSource<string, unknown>>]>([
    ['grants.read failed', { read: fail }],
    ['grants.key failed', { key: () => expect.unreachable('SWORDFISH') }],
    ['grants.aroundUse failed', { aroundUse: fail }],
    ['grants.aroundUse must call next', { aroundUse: async () => {} }],
    ['grants.aroundRefresh failed', { aroundRefresh: fail }],
    ['grants.key() must be 1 to 128 printable ASCII characters', { key: () => 'é' }],
    ['grants.read() is a promise: is await missing?', { read: async () => ({}) as never }],
  ])('rejects with RuleError and no text of the source: %s', async (message, changes) => {
    const call = setUp(changes).keeper.accessToken('mail', undefined)
    const error: unknown = await call.catch((reason) => reason)
    expect(error).toBeInstanceOf(RuleError)
    if (!message.includes('promise')) expect(error).toMatchObject({ message })
    expect(String(Object(error).stack) + String(Object(error).cause)).not.toContain('SWORDFISH')
  })

  it.each([
    [{ version: undefined }, 'grants.read().version must be a string or a number'],
    [{ readOnly: 'no' }, 'grants.read().readOnly must be a boolean'],
    [{ grant: null }, 'grants.read().grant must be an object'],
    [{ grant: { accessToken: 7 } }, 'grants.read().grant.accessToken must be a string'],
  ])('rejects with RuleError when read resolves with %o', async (changes, message) => {
    const found = { grant: newGrant({ accessToken: 'a' }), version: 1, ...changes }
    const { keeper } = setUp({ read: async () => found as never })
    await expect(keeper.accessToken('mail', undefined)).rejects.toEqual(new RuleError(message))
  })

  it('keeps the tokens until a driver that fails stores them', async () => {
    let writes = 0
    const { grants, rows } = setUp()
    const { keeper } = setUp({
      ...grants,
      async replace(...row) {
        writes++
        if (writes === 1) return fail()
        const isReplaced = await grants.replace(...row)
        return writes === 2 ? fail() : isReplaced
      },
    })
    expect(await keeper.accessToken('mail', undefined)).toBe('next of r0')
    expect([writes, rows.get('mail')?.version]).toEqual([2, 2])
  })

  it('passes on an error of the library with which aroundUse refuses, and reads nothing', async () => {
    const refusal = notFoundError('vault', 'a')
    const { keeper } = setUp({ aroundUse: async () => Promise.reject(refusal), read: fail })
    await expect(keeper.accessToken('mail', undefined)).rejects.toBe(refusal)
  })

  it('returns a token after aroundUse, which receives who uses it', async () => {
    const seen: unknown[] = []
    const { keeper } = setUp({
      async aroundUse(ref, by, next) {
        await next()
        seen.push([ref, by])
      },
    })
    await keeper.accessToken('mail', 'wendy')
    expect(seen).toEqual([['mail', 'wendy']])
  })

  it('reads the rows that aroundUse passes on', async () => {
    const { grants } = setUp()
    const reads: string[] = []
    const { keeper } = setUp({
      aroundUse: (_ref, _by, next) =>
        next({
          ...grants,
          async read(ref) {
            reads.push(ref)
            const found = await grants.read(ref)
            return (
              found && {
                ...found,
                grant: { ...found.grant, accessToken: 'of these rows', expiresAt: undefined },
              }
            )
          },
        }),
      read: fail,
    })
    expect(await keeper.accessToken('mail', undefined)).toBe('of these rows')
    expect(reads).toEqual(['mail'])
  })

  it('does not refresh a grant that is read-only', async () => {
    const { grants } = setUp()
    const read = async (ref: string) => {
      const found = await grants.read(ref)
      return found && { ...found, readOnly: true }
    }
    const call = setUp({ read }).keeper.accessToken('mail', undefined)
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT' })
  })

  it('uses marginMs when the time of issue is unknown', async () => {
    const expiresAt = Date.now() + 3_600_000
    const grant = { ...newGrant({ accessToken: 'a', refreshToken: 'r' }), expiresAt }
    const read = async () => ({ grant: { ...grant, issuedAt: undefined }, version: 1 })
    expect(await setUp({ read }).keeper.accessToken('mail', undefined)).toBe('a')
  })

  it('asks nothing for a grant that needs a new consent, whatever its reason is', async () => {
    const grant = newGrant({ accessToken: 'a', refreshToken: 'r' })
    for (const [reason, expected] of [
      ['', 'refused'],
      ['interrupted', 'interrupted'],
    ] as const) {
      const read = async () => ({
        grant: { ...grant, status: 'reconnect', reason } as const,
        version: 1,
      })
      const call = setUp({ read }).keeper.accessToken('mail', undefined)
      await expect(call).rejects.toMatchObject({ grant: 'mail', reason: expected })
    }
  })

  it('refreshes within aroundRefresh, with its own rows or with given ones', async () => {
    for (const hasRows of [false, true]) {
      const { grants, rows } = setUp()
      const seen: unknown[] = []
      const { keeper } = setUp({
        ...grants,
        async aroundRefresh(ref, found, next) {
          await next(hasRows ? grants : undefined)
          seen.push([ref, found.version])
        },
      })
      expect(await keeper.accessToken('mail', undefined)).toBe('next of r0')
      expect([rows.get('mail')?.version, seen]).toEqual([2, [['mail', 1]]])
    }
  })
})

describe('newGrant', () => {
  it('takes the time at which the access token expires instead of its lifetime', () => {
    const [now, expiresAt] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T01:00:00Z')]
    const byTime = newGrant({ accessToken: 'a', expiresAt }, now)
    expect(byTime).toEqual(newGrant({ accessToken: 'a', expiresInSeconds: 3600 }, now))
    expect(byTime.expiresAt).toBe(expiresAt.getTime())
  })

  it('returns the grant of tokens that were requested at a time', () => {
    const now = new Date('2026-01-01T12:00:00Z')
    expect(newGrant({ accessToken: 'a', expiresInSeconds: 60 }, now)).toEqual({
      ...{ accessToken: 'a', refreshToken: '', issuedAt: now.getTime(), status: 'ok', reason: '' },
      expiresAt: now.getTime() + 60_000,
    })
    expect(newGrant({ accessToken: 'a', refreshToken: 'r' }).expiresAt).toBeUndefined()
  })
})
