import { type Caller, createCaller, createVaultService, type ItemRef } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import { createFaultyStore } from 'cofferkit/testing'
import {
  createSecretFetch,
  type SecretFetchOptions,
  type VaultSecretsOptions,
  vaultSecrets,
} from 'cofferkit/use'
import { describe, expect, it } from 'vitest'
import { createRecordedCalls, type EntrySummary } from '../support/service/recorded-calls.js'

const origin = 'https://api.example.com'
const owner = createCaller({ id: 'owner', vaults: '*' })

/** Creates an item and an OAuth grant for `origin`. */
async function setUp() {
  const { activity, entriesOf } = createRecordedCalls()
  let isFailing = false
  const store = createFaultyStore(createMemoryStore(), ({ method, collection }) =>
    isFailing && method === 'get' && collection?.startsWith('items/') ? 'fail-before' : undefined,
  )
  const service = createVaultService({ store, activity })
  const { id: vaultId } = await service.createVault(owner, { name: 'Team' })
  const fields = [
    { id: 'key', value: 'sk_live_correct_horse' },
    { id: 'short', value: '1234567' },
    { id: 'long', value: 'x'.repeat(8193) },
  ]
  const item = {
    category: 'API_CREDENTIAL',
    title: 'Acme',
    urls: [{ href: origin }],
    fields,
  } as const
  const { id: itemId } = await service.createItem(owner, { vaultId, item })
  const grants = vaultGrants(service, owner)
  const keeperOf = (refresh: () => Promise<{ accessToken: string } | false>) =>
    createTokenKeeper({ grants, leases: store.records, refresh })
  const tokens = { accessToken: 'access-1-secret', refreshToken: 'refresh-1', expiresInSeconds: 0 }
  const grant = await grants.save(vaultId, {
    ...{ name: 'mail', origins: [origin], ...tokens },
  })
  const sent: string[] = []
  const fetch = async (url: string) => {
    sent.push(url)
    return new Response('ok')
  }
  return {
    ...{ service, vaultId, itemId, grant, keeperOf, sent, entriesOf },
    fail() {
      isFailing = true
    },
    /** Sends a request with a reference, and returns the entries of that time. */
    use: (
      {
        caller = createCaller({ id: 'agent', vaults: { [vaultId]: 'read' } }),
        field = 'key',
        url = origin,
      }: {
        readonly caller?: Caller
        readonly field?: string
        readonly url?: string
      },
      { tokens, ...options }: SecretFetchOptions & VaultSecretsOptions = {},
      ref: ItemRef = { vaultId, itemId },
    ) => {
      const secrets = vaultSecrets(service, caller, { tokens })
      const secretFetch = createSecretFetch(secrets, { fetch, ...options })
      const reference = `{{ op://${ref.vaultId}/${ref.itemId}/${field} }}`
      return entriesOf(() => secretFetch(url, { method: 'POST', headers: { 'x-key': reference } }))
    },
  }
}

/** Returns the entry of a use in the tests. */
function usedWith(changes: EntrySummary, field = 'key', use = {}): EntrySummary {
  return {
    ...{ operation: 'useField', action: 'READ', caller: 'agent' },
    use: { origin, method: 'POST', place: 'header:x-key', field, ...use },
    ...changes,
  }
}

const success = { result: 'SUCCESS' } as const
const refusal = { result: 'DENY', code: 'SECRET_USE_REFUSED' } as const

describe('createSecretFetch with an activity log', () => {
  it('records one entry of an allowed use', async () => {
    const { use, sent } = await setUp()
    expect(await use({})).toEqual([usedWith(success)])
    expect(sent).toHaveLength(1)
  })

  it('records one entry of a refused use, and sends nothing', async () => {
    const { use, sent } = await setUp()
    const stranger = 'https://evil.example'
    const nobody = createCaller({ id: 'agent', vaults: {} })
    const entries = [
      await use({}, { allow: () => false }),
      await use({ url: stranger }),
      await use({ field: 'short' }),
      await use({ field: 'long' }),
      await use({ field: 'missing' }),
      await use({ caller: nobody }),
      await use({}, { allow: () => Promise.reject(new Error('broken')) }),
    ]
    expect(entries).toEqual([
      [usedWith(refusal)],
      [usedWith(refusal, 'key', { origin: stranger })],
      [usedWith(refusal, 'short')],
      [usedWith(refusal, 'long')],
      [usedWith({ result: 'DENY', code: 'NOT_FOUND' }, 'missing')],
      [usedWith({ result: 'DENY', code: 'FORBIDDEN' })],
      [usedWith({ result: 'DENY', code: 'RULE_FAILED' })],
    ])
    expect(sent).toEqual([])
  })

  it('asks allow only for a caller who has the permission', async () => {
    const { use } = await setUp()
    const asked: string[] = []
    const allow = ({ place }: { readonly place: string }) => asked.push(place) > 0
    await use({ caller: createCaller({ id: 'agent', vaults: {} }) }, { allow })
    expect(asked).toEqual([])
    await use({}, { allow })
    expect(asked).toEqual(['header:x-key'])
  })

  it('records one entry when the item cannot be read', async () => {
    const { use, fail } = await setUp()
    fail()
    expect(await use({})).toEqual([usedWith({ result: 'DENY', code: 'STORAGE_FAILED' })])
  })

  it('records one entry for each reference, and one for each redirect', async () => {
    const { service, vaultId, itemId, entriesOf } = await setUp()
    let redirects = 1
    const agent = createCaller({ id: 'agent', vaults: { [vaultId]: 'read' } })
    const secretFetch = createSecretFetch(vaultSecrets(service, agent), {
      fetch: async () =>
        redirects-- > 0
          ? new Response(null, { status: 307, headers: { location: '/b' } })
          : new Response('ok'),
    })
    const reference = `{{ op://${vaultId}/${itemId}/key }}`
    const headers = { 'x-one': reference }
    const entries = await entriesOf(() => secretFetch(origin, { headers }))
    expect(entries.map(({ use }) => use?.place)).toEqual(['header:x-one', 'header:x-one'])
  })

  it('records nothing of a request that is refused whatever its references are', async () => {
    const { service, entriesOf } = await setUp()
    const secretFetch = createSecretFetch(vaultSecrets(service, owner))
    expect(await entriesOf(() => secretFetch(origin))).toEqual([])
    expect(await entriesOf(() => secretFetch('http://api.example.com'))).toEqual([])
  })
})

describe('createSecretFetch with tokens and an activity log', () => {
  const field = 'credential?attribute=access_token'
  const credential = { name: 'mail' }
  const refreshed = {
    ...{ operation: 'refreshGrant', action: 'UPDATE', caller: 'owner' },
    credential,
  }
  const used = usedWith({ ...success, credential }, 'credential')

  it('records one entry of a use and one of its refresh, however often the keeper is asked', async () => {
    const { use, grant, keeperOf, sent } = await setUp()
    const next = { accessToken: 'access-2-secret', refreshToken: 'refresh-2', expiresInSeconds: 60 }
    const tokens = keeperOf(async () => next)
    expect(await use({ field }, { tokens }, grant)).toEqual([
      { ...refreshed, ...success, version: 2 },
      used,
    ])
    expect(await use({ field }, { tokens }, grant)).toEqual([used])
    expect(sent).toHaveLength(2)
  })

  it('records one entry of a use whose grant cannot be refreshed', async () => {
    const { use, grant, keeperOf, sent } = await setUp()
    const tokens = keeperOf(async () => false)
    const reconnect = { result: 'DENY', code: 'RECONNECT_REQUIRED' } as const
    expect(await use({ field }, { tokens }, grant)).toEqual([
      { ...refreshed, ...reconnect, version: 2 },
      usedWith(reconnect, 'credential'),
    ])
    expect(await use({ field }, { tokens }, grant)).toEqual([usedWith(reconnect, 'credential')])
    expect(sent).toEqual([])
  })

  it('refreshes nothing for a use that allow refuses', async () => {
    const { use, grant, keeperOf } = await setUp()
    let requests = 0
    const tokens = keeperOf(async () => {
      requests++
      return false
    })
    const entries = await use({ field }, { tokens, allow: () => false }, grant)
    expect(entries).toEqual([usedWith(refusal, 'credential')])
    expect(requests).toBe(0)
  })

  it('records one entry of a use without a keeper, also when its tokens fail', async () => {
    const { use, grant, sent } = await setUp()
    const tokens = { accessToken: async () => 'a token of another source' }
    expect(await use({ field }, { tokens }, grant)).toEqual([used])
    const failing = { accessToken: () => Promise.reject(new Error('down')) }
    expect(await use({ field }, { tokens: failing }, grant)).toEqual([
      usedWith({ result: 'DENY', code: 'RULE_FAILED' }, 'credential'),
    ])
    const short = { accessToken: async () => 'short' }
    expect(await use({ field }, { tokens: short }, grant)).toEqual([
      usedWith({ ...refusal, credential }, 'credential'),
    ])
    expect(sent).toHaveLength(1)
  })
})
