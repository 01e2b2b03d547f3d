import { createCaller, createVaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { createTestClock } from 'cofferkit/testing'
import { createSecretFetch, vaultSecrets } from 'cofferkit/use'
import { describe, expect, it } from 'vitest'

const origin = 'https://api.example.com'

/** A keeper of a grant whose access token has expired, and an agent who may use it for a second. */
async function setUp() {
  const store = createMemoryStore()
  const clock = createTestClock()
  const service = createVaultService({ store, now: clock })
  const owner = createCaller({ id: 'owner', vaults: '*' })
  const { id: vaultId } = await service.createVault(owner, { name: 'Acme' })
  const grants = vaultGrants(service, owner)
  let refreshMs = 0
  const keeper = createTokenKeeper({
    grants,
    leases: store.records,
    now: clock,
    async refresh() {
      clock.advance(refreshMs)
      return { accessToken: 'a-new-access-token', refreshToken: 'r2', expiresInSeconds: 3600 }
    },
  })
  const tokens = { accessToken: 'a1', refreshToken: 'r1', expiresInSeconds: 0 }
  const ref = await grants.save(vaultId, { name: 'mail', origins: [origin], ...tokens })
  const expiresAt = new Date(clock().getTime() + 1000)
  const use = [{ items: [ref.itemId], methods: ['GET'] }]
  const agent = createCaller({ id: 'agent', vaults: { [vaultId]: 'use' }, expiresAt, use })
  const reader = createCaller({ id: 'reader', vaults: { [vaultId]: 'read' }, expiresAt })
  const beSlow = () => {
    refreshMs = 1000
  }
  return { service, vaultId, keeper, ref, agent, reader, beSlow }
}

describe('createTokenKeeper for a caller with the permission use', () => {
  it('sends a token to what the caller may use, and returns none', async () => {
    const { service, keeper, ref, agent } = await setUp()
    await expect(keeper.accessToken(ref, agent)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    const fetch = async (_url: string, init: RequestInit) =>
      new Response(new Headers(init.headers).get('authorization'))
    const secretFetch = createSecretFetch(vaultSecrets(service, agent, { tokens: keeper }), {
      ...{ fetch, refusal: 'throw' },
    })
    const { vaultId, itemId } = ref
    const reference = `op://${vaultId}/${itemId}/credential?attribute=access_token`
    const headers = { authorization: `Bearer {{ ${reference} }}` }
    expect(await (await secretFetch(origin, { headers })).text()).toBe('Bearer [secret]')
    const refused = { code: 'SECRET_USE_REFUSED' }
    await expect(secretFetch(origin, { headers, method: 'PUT' })).rejects.toMatchObject(refused)
  })
})

describe('createTokenKeeper for a caller who expires', () => {
  it('returns no token that was refreshed too late, and stores it', async () => {
    const { service, keeper, ref, reader, beSlow, vaultId } = await setUp()
    beSlow()
    const expired = { code: 'UNAUTHORIZED', message: 'the caller has expired' }
    await expect(keeper.accessToken(ref, reader)).rejects.toMatchObject(expired)
    const other = createCaller({ id: 'other', vaults: { [vaultId]: 'read' } })
    expect(await keeper.accessToken(ref, other)).toBe('a-new-access-token')
    await expect(service.getItem(reader, ref)).rejects.toMatchObject(expired)
  })
})
