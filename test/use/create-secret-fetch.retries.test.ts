import { createCaller, createVaultService, RuleError, StorageUnavailableError } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createTokenKeeper, vaultGrants } from 'cofferkit/oauth'
import {
  createSecretFetch,
  type FoundSecret,
  isRefusal,
  type SecretFetchOptions,
  vaultSecrets,
} from 'cofferkit/use'
import { describe, expect, it, vi } from 'vitest'
import { createRecordedCalls } from '../support/service/recorded-calls.js'
import { sourceOf } from './support/source-of.js'

const origin = 'https://api.test'
const headers = { authorization: 'Bearer {{ op://grants/7/token }}' }
const retryRejected = ['GET', 'HEAD', 'PUT']

/** A secret fetch, and an API that accepts the second token only. */
function setUp(options: SecretFetchOptions, changes: Partial<FoundSecret> = {}) {
  const sent: string[] = []
  let count = 1
  const renew = vi.fn(async () => {
    count++
  })
  const read = async () => ({
    value: `token number ${count}`,
    origins: [origin],
    renew,
    ...changes,
  })
  const fetch = async (_url: string, init: RequestInit) => {
    const token = String(new Headers(init.headers).get('authorization'))
    sent.push(token)
    return new Response(`${token}, not token number 1`, { status: token.endsWith('2') ? 200 : 401 })
  }
  return { secretFetch: createSecretFetch(sourceOf(read), { fetch, ...options }), renew, sent }
}

describe('createSecretFetch with retryRejected', () => {
  it('sends the request once more with a renewed value after 401, and masks both', async () => {
    const { secretFetch, renew, sent } = setUp({ retryRejected })
    const response = await secretFetch(origin, { headers })
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('Bearer [secret], not [secret]')
    expect(sent).toEqual(['Bearer token number 1', 'Bearer token number 2'])
    expect(renew).toHaveBeenCalledTimes(1)
  })

  it('sends a body that it has read once more', async () => {
    const { secretFetch } = setUp({ retryRejected, placesOf: () => [] })
    const body = JSON.stringify({ name: 'Wendy' })
    const init = {
      method: 'PUT',
      body,
      headers: { ...headers, 'content-type': 'application/json' },
    }
    expect((await secretFetch(origin, init)).status).toBe(200)
  })

  it.each<[string, SecretFetchOptions, RequestInit?, Partial<FoundSecret>?]>([
    ['by default', {}],
    ['for another method', { retryRejected }, { method: 'POST' }],
    ['for a body that is a stream', { retryRejected }, { method: 'PUT', body: stream() }],
    ['for a value that cannot be renewed', { retryRejected }, {}, { renew: undefined }],
  ])('returns the 401 of the API %s', async (_, options, init, changes) => {
    const { secretFetch, renew, sent } = setUp(options, changes)
    const duplex = { duplex: 'half' } as RequestInit
    const response = await secretFetch(origin, { headers, ...duplex, ...init })
    expect(response.status).toBe(401)
    expect(isRefusal(response)).toBe(false)
    expect(sent).toHaveLength(1)
    expect(renew).not.toHaveBeenCalled()
  })

  it('returns the second 401, and renews nothing again', async () => {
    const renew = vi.fn(async () => {})
    const { secretFetch, sent } = setUp({ retryRejected }, { renew })
    expect((await secretFetch(origin, { headers })).status).toBe(401)
    expect(sent).toHaveLength(2)
    expect(renew).toHaveBeenCalledTimes(1)
  })

  it('rejects with the error of renew, or with a RuleError without its text', async () => {
    const error = new StorageUnavailableError('the store is closed')
    const failing = setUp({ retryRejected }, { renew: () => Promise.reject(error) })
    await expect(failing.secretFetch(origin, { headers })).rejects.toBe(error)
    const foreign = setUp(
      { retryRejected },
      { renew: () => Promise.reject(new Error('SWORDFISH')) },
    )
    const rejecting = foreign.secretFetch(origin, { headers })
    await expect(rejecting).rejects.toEqual(new RuleError('renew failed'))
    const wrong = setUp({ retryRejected }, { renew: 'yes' as never })
    await expect(wrong.secretFetch(origin, { headers })).rejects.toThrow(RuleError)
  })

  it.each([['get'], ['GET POST'], [7]])('throws TypeError for the method %s', (method) => {
    expect(() => setUp({ retryRejected: [method as string] })).toThrow(TypeError)
  })
})

describe('createSecretFetch with retryRejected and the tokens of a keeper', () => {
  async function setUpKeeper() {
    const { activity, entriesOf } = createRecordedCalls()
    const store = createMemoryStore()
    const service = createVaultService({ store, activity })
    const caller = createCaller({ id: 'agent', vaults: '*' })
    const { id: vaultId } = await service.createVault(caller, { name: 'Acme' })
    const grants = vaultGrants(service, caller)
    const tokens = { accessToken: 'token number 1', refreshToken: 'r1' }
    const ref = await grants.save(vaultId, { name: 'mail', origins: [origin], ...tokens })
    const refresh = vi.fn(async () => ({ accessToken: 'token number 2' }))
    const keeper = createTokenKeeper({ grants, leases: store.records, refresh })
    const reference = `op://${vaultId}/${ref.itemId}/credential?attribute=access_token`
    return { entriesOf, service, caller, keeper, refresh, ref, reference }
  }

  it('refreshes the token once, and records both uses', async () => {
    const { entriesOf, service, caller, keeper, refresh, reference } = await setUpKeeper()
    const { fetch } = createApi()
    const secretFetch = createSecretFetch(vaultSecrets(service, caller, { tokens: keeper }), {
      ...{ fetch, retryRejected },
    })
    const given = { authorization: `Bearer {{ ${reference} }}` }
    const send = () => secretFetch(origin, { headers: given })
    const statuses: number[] = []
    const entries = await entriesOf(async () => {
      for (const { status } of await Promise.all([send(), send()])) statuses.push(status)
    })
    expect(statuses).toEqual([200, 200])
    expect(refresh).toHaveBeenCalledTimes(1)
    const operations = entries.map(({ operation }) => operation)
    expect(operations.toSorted()).toEqual(['refreshGrant', ...Array(4).fill('useField')])
  })

  it('passes the token that was rejected to other sources of tokens', async () => {
    const { service, caller, ref, reference } = await setUpKeeper()
    const { fetch } = createApi()
    const accessToken = vi.fn(
      async (_ref: unknown, _by: unknown, { rejected }: { rejected?: string | undefined } = {}) =>
        rejected === undefined ? 'token number 1' : 'token number 2',
    )
    const secretFetch = createSecretFetch(
      vaultSecrets(service, caller, { tokens: { accessToken } }),
      { fetch, retryRejected },
    )
    await secretFetch(origin, { headers: { authorization: `Bearer {{ ${reference} }}` } })
    expect(accessToken.mock.calls).toEqual([
      [ref, caller, { rejected: undefined }],
      [ref, caller, { rejected: 'token number 1' }],
      [ref, caller, { rejected: undefined }],
    ])
  })
})

function createApi() {
  const fetch = async (_url: string, init: RequestInit) => {
    const token = new Headers(init.headers).get('authorization')
    return new Response('', { status: token === 'Bearer token number 2' ? 200 : 401 })
  }
  return { fetch }
}

/** A body that has not arrived when the request is sent. */
function stream(): ReadableStream<Uint8Array> {
  return new ReadableStream()
}
