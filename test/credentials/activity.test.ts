import { type Caller, createCaller, createVaultService } from 'cofferkit'
import {
  createCredentialHandler,
  createCredentials,
  type VaultCredentials,
} from 'cofferkit/credentials'
import { createFetchHandler } from 'cofferkit/fetch'
import { createMemoryStore } from 'cofferkit/memory'
import { createFaultyStore, type Fault } from 'cofferkit/testing'
import { describe, expect, it, vi } from 'vitest'
import { createRecordedCalls, type EntrySummary } from '../support/service/recorded-calls.js'

const vaultId = 'v'.repeat(26)
const key = 'sk_live_0123456789abcdWXYZ'
const account = { account: 'live' }
const credential = { name: 'stripe', account: 'live' }
const wendy = createCaller({ id: 'wendy', vaults: '*' })
const nobody = createCaller({ id: 'nobody', vaults: {} })

/** The methods, whether they change the credential, and the entry of a call that succeeds. */
const methods = {
  save: {
    call: (own) => own.save('stripe', { key: 'new' }, account),
    isChange: true,
    entry: { operation: 'saveCredential', action: 'UPDATE', credential, version: 2 },
  },
  describe: {
    call: (own) => own.describe('stripe', account),
    isChange: false,
    entry: { operation: 'describeCredential', action: 'READ', credential, version: 1 },
  },
  list: {
    call: (own) => own.list(),
    isChange: false,
    entry: { operation: 'listCredentials', action: 'READ' },
  },
  verify: {
    call: (own) => own.verify('stripe', account),
    isChange: true,
    entry: { operation: 'verifyCredential', action: 'UPDATE', credential, version: 2 },
  },
  reveal: {
    call: (own) => own.reveal('stripe', 'key', account),
    isChange: false,
    entry: { operation: 'revealCredential', action: 'READ', credential },
  },
  remove: {
    call: (own) => own.remove('stripe', account),
    isChange: true,
    entry: { operation: 'removeCredential', action: 'DELETE', credential, version: 1 },
  },
} satisfies Record<
  string,
  {
    readonly call: (own: VaultCredentials) => Promise<unknown>
    readonly isChange: boolean
    readonly entry: EntrySummary
  }
>

/** Returns credentials of which one is saved, in a store whose calls can fail. */
async function setUp() {
  const { activity, entriesOf } = createRecordedCalls()
  let faults: (method: string, collection: string) => Fault = () => undefined
  const store = createFaultyStore(createMemoryStore(), (call) =>
    faults(call.method, String(call.collection).split('/')[0] ?? ''),
  )
  const service = createVaultService({ store, activity })
  await service.createVault(wendy, { vaultId, name: 'Acme' })
  const verify = vi.fn(async () => true)
  const stripe = { fields: { key: {} }, origins: ['https://api.stripe.com'], verify }
  const credentials = createCredentials(service, { stripe })
  await credentials.of(wendy, vaultId).save('stripe', { key }, account)
  return {
    ...{ service, credentials, verify, entriesOf },
    failWith(next: typeof faults) {
      faults = next
    },
  }
}

const cases = Object.entries(methods)
const changes = cases.filter(([, { isChange }]) => isChange)
const reads = cases.filter(([, { isChange }]) => !isChange)

/** Leaves out the version, which only a successful call has. */
function withoutVersion({ version: _, ...entry }: EntrySummary): EntrySummary {
  return entry
}

describe('createCredentials with an activity log', () => {
  it.each(cases)('records one entry of %s when it is allowed', async (_, { call, entry }) => {
    const { credentials, entriesOf } = await setUp()
    const entries = await entriesOf(() => call(credentials.of(wendy, vaultId)))
    expect(entries).toEqual([{ ...entry, result: 'SUCCESS', caller: 'wendy' }])
  })

  it.each(cases)('records one entry of %s when it is refused', async (_, { call, entry }) => {
    const { credentials, entriesOf, verify } = await setUp()
    verify.mockClear()
    const denied = { ...withoutVersion(entry), result: 'DENY' }
    const callers: [Caller | undefined, EntrySummary][] = [
      [nobody, { code: 'FORBIDDEN', caller: 'nobody' }],
      [undefined, { code: 'UNAUTHORIZED', caller: '' }],
    ]
    for (const [caller, refusal] of callers) {
      const entries = await entriesOf(() => call(credentials.of(caller, vaultId)))
      expect(entries).toEqual([{ ...denied, ...refusal }])
    }
    expect(verify).not.toHaveBeenCalled()
  })

  it.each(cases)('records one entry of %s when nothing exists', async (name, { call, entry }) => {
    const { credentials, entriesOf } = await setUp()
    const other = 'w'.repeat(26)
    const entries = await entriesOf(() => call(credentials.of(wendy, other)))
    const denied = { result: 'DENY', code: 'NOT_FOUND', caller: 'wendy' }
    expect([name, entries]).toEqual([name, [{ ...withoutVersion(entry), ...denied }]])
  })

  it('records a denied save when the provider rejects, and a verify that stores the result', async () => {
    const { credentials, entriesOf, verify } = await setUp()
    const own = credentials.of(wendy, vaultId)
    verify.mockResolvedValue(false)
    const { save, verify: verification } = methods
    const denied = { result: 'DENY', code: 'CREDENTIAL_REJECTED', caller: 'wendy' }
    const { version: _, ...saving } = save.entry
    expect(await entriesOf(() => save.call(own))).toEqual([{ ...saving, ...denied }])
    expect(await entriesOf(() => verification.call(own))).toEqual([
      { ...verification.entry, result: 'SUCCESS', caller: 'wendy' },
    ])
  })

  it('records the first save as a creation', async () => {
    const { credentials, entriesOf } = await setUp()
    const entries = await entriesOf(() => credentials.of(wendy, vaultId).save('stripe', { key }))
    expect(entries).toEqual([
      {
        ...{ operation: 'saveCredential', action: 'CREATE', result: 'SUCCESS', caller: 'wendy' },
        ...{ credential: { name: 'stripe' }, version: 1 },
      },
    ])
  })

  it.each(
    changes.flatMap(([name, method]) =>
      (['fail-before', 'fail-after'] as const).map((fault) => [name, fault, method] as const),
    ),
  )('leaves the entry of %s pending when its write is made to %s', async (_, fault, method) => {
    const { credentials, entriesOf, failWith } = await setUp()
    const { call, entry } = method
    failWith((name, kind) => (name !== 'get' && kind === 'items' ? fault : undefined))
    const entries = await entriesOf(() => call(credentials.of(wendy, vaultId)))
    const pending = { result: 'PENDING', caller: 'wendy' }
    expect(entries).toEqual([{ ...withoutVersion(entry), ...pending }])
  })

  it('leaves the entry of a first save pending when the record of the list is not written', async () => {
    const { credentials, entriesOf, failWith } = await setUp()
    failWith((name, kind) => (name === 'put' && kind === 'credentials' ? 'fail-after' : undefined))
    const own = credentials.of(wendy, vaultId)
    expect(await entriesOf(() => own.save('stripe', { key }))).toMatchObject([
      { operation: 'saveCredential', action: 'CREATE', result: 'PENDING' },
    ])
    await expect(own.describe('stripe')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it.each(reads)('records one entry of %s when the store fails', async (_, { call, entry }) => {
    const { credentials, entriesOf, failWith } = await setUp()
    failWith((name, kind) => (name === 'get' && kind === 'items' ? 'fail-before' : undefined))
    const entries = await entriesOf(() => call(credentials.of(wendy, vaultId)))
    const failed = { result: 'DENY', code: 'STORAGE_FAILED', caller: 'wendy' }
    expect(entries).toEqual([{ ...withoutVersion(entry), ...failed }])
  })

  it('records a call with an invalid account, without the account', async () => {
    const { credentials, entriesOf } = await setUp()
    const own = credentials.of(wendy, vaultId)
    const [name, invalid] = ['stripe', { account: 'a\nb' }] as const
    for (const [operation, call] of [
      ['saveCredential', () => own.save(name, { key }, invalid)],
      ['describeCredential', () => own.describe(name, invalid)],
      ['verifyCredential', () => own.verify(name, invalid)],
      ['revealCredential', () => own.reveal(name, 'key', invalid)],
      ['removeCredential', () => own.remove(name, invalid)],
    ] as const)
      expect(await entriesOf(call)).toMatchObject([
        { operation, result: 'DENY', code: 'INVALID_INPUT', credential: { name } },
      ])
  })

  it('names the credential in the entry of a use, once its item was read', async () => {
    const { service, credentials, entriesOf } = await setUp()
    const { itemId } = await credentials.of(wendy, vaultId).describe('stripe', account)
    const use = { origin: 'https://api.stripe.com', method: 'GET' }
    const entriesOfUse = (caller: Caller, origin: string) => {
      const input = { vaultId, itemId, field: 'key', use: { ...use, origin } }
      return entriesOf(() => service.useField(caller, input))
    }
    expect(await entriesOfUse(wendy, use.origin)).toMatchObject([{ result: 'SUCCESS', credential }])
    const refused = { result: 'DENY', code: 'SECRET_USE_REFUSED', credential }
    expect(await entriesOfUse(wendy, 'https://evil.example')).toMatchObject([refused])
    const [entry] = await entriesOfUse(nobody, use.origin)
    expect(entry).toMatchObject({ result: 'DENY', code: 'FORBIDDEN' })
    expect(entry).not.toHaveProperty('credential')
  })

  it('contains no value', async () => {
    const { credentials, entriesOf } = await setUp()
    const own = credentials.of(wendy, vaultId)
    for (const [, { call }] of cases)
      expect(JSON.stringify(await entriesOf(() => call(own)))).not.toMatch(/sk_live|WXYZ/)
  })
})

describe('createCredentialHandler with an activity log', () => {
  const json = { 'content-type': 'application/json' }
  const requests: readonly [string, string, RequestInit, EntrySummary, string][] = [
    ['allowed', '/stripe?account=live', { method: 'GET' }, { result: 'SUCCESS', credential }, ''],
    [
      'of an unknown caller',
      '/stripe?account=live',
      { method: 'DELETE' },
      { operation: 'removeCredential', code: 'UNAUTHORIZED', caller: '' },
      'none',
    ],
    [
      'whose vault is not found',
      '/stripe',
      { method: 'DELETE' },
      { operation: 'removeCredential', code: 'RULE_FAILED', caller: 'lost' },
      'lost',
    ],
    [
      'for an unknown kind',
      '/other',
      { method: 'PUT', headers: json, body: '{}' },
      { operation: 'saveCredential', code: 'NOT_FOUND' },
      '',
    ],
    [
      'with a body that is not JSON',
      '/stripe?account=live',
      { method: 'PUT', headers: json, body: '{' },
      { operation: 'saveCredential', code: 'INVALID_INPUT', credential },
      '',
    ],
    [
      'with a body in another form',
      '/stripe/verify?account=live',
      { method: 'POST', headers: json, body: '{"account":"live"}' },
      { operation: 'verifyCredential', code: 'INVALID_INPUT', credential },
      '',
    ],
    [
      'with an unknown parameter',
      '/stripe?acount=live',
      { method: 'DELETE' },
      { operation: 'removeCredential', code: 'INVALID_INPUT' },
      '',
    ],
  ]

  it.each(requests)('records one entry of a request %s', async (_, path, init, entry, login) => {
    const { credentials, entriesOf } = await setUp()
    const handler = createCredentialHandler(credentials, {
      authenticate: () =>
        login === 'none' ? undefined : createCaller({ id: login || 'wendy', vaults: '*' }),
      vaultOf: ({ id }) => (id === 'lost' ? '' : vaultId),
      onError: () => {},
    })
    const send = createFetchHandler(handler)
    const request = new Request(`https://app.example.com/credentials${path}`, init)
    const entries = await entriesOf(async () => send(request))
    expect(entries).toEqual([expect.objectContaining({ result: 'DENY', ...entry })])
  })
})
