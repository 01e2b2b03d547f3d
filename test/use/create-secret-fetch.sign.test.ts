import { createHmac, generateKeyPairSync } from 'node:crypto'
import { type Caller, createCaller, createVaultService, RuleError } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { vaultGrants } from 'cofferkit/oauth'
import {
  createSecretFetch,
  isRefusal,
  type SecretFetchOptions,
  type SecretSource,
  type SignRequest,
  vaultSecrets,
} from 'cofferkit/use'
import { importPKCS8, jwtVerify, SignJWT } from 'jose'
import { describe, expect, it, vi } from 'vitest'
import { createRecordedCalls } from '../support/service/recorded-calls.js'
import { sourceOf } from './support/source-of.js'

const origin = 'https://api.test'
const key = 'sk_live_correct_horse'
const signHeader = 'x-cofferkit-sign'

/** Signs the body with HMAC, as many APIs demand it. */
const hmac: SignRequest = async (request, values) => {
  const body = await request.clone().text()
  const headers = new Headers(request.headers)
  headers.set('x-key-id', String(values['id']))
  headers.set('x-signature', toSignature(String(values['key']), body))
  return new Request(request, { headers })
}

const toSignature = (secret: string, text: string) =>
  createHmac('sha256', secret).update(text).digest('hex')

interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: string
}

/** An API that keeps what it receives, and echoes its headers. */
function createApi(respond?: (sent: Sent) => Response) {
  const sent: Sent[] = []
  const fetch: SecretFetchOptions['fetch'] = async (url, init) => {
    const { method, headers } = init
    const body = await new Response(init.body ?? null).text()
    const one = { url, method, headers: new Headers(headers), body }
    sent.push(one)
    return respond?.(one) ?? new Response(JSON.stringify(headers))
  }
  return { sent, fetch }
}

async function setUp() {
  const { activity, entriesOf } = createRecordedCalls()
  const service = createVaultService({ store: createMemoryStore(), activity })
  const owner = createCaller({ id: 'owner', vaults: '*' })
  const { id: vaultId } = await service.createVault(owner, { name: 'Acme' })
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const { id: itemId } = await service.createItem(owner, {
    vaultId,
    item: {
      category: 'API_CREDENTIAL',
      title: 'API',
      urls: [{ href: origin }],
      fields: [
        { id: 'id', type: 'STRING', value: 'AKIA_IS_NO_SECRET' },
        { id: 'key', type: 'CONCEALED', value: key },
        { id: 'pem', type: 'CONCEALED', value: pem },
        { id: 'region', type: 'STRING', value: 'eu' },
        { id: 'empty', type: 'STRING' },
        { id: 'credential.name', type: 'STRING', value: 'kept for itself' },
        { id: 'notesPlain', purpose: 'NOTES', value: 'written by a person' },
      ],
    },
  })
  const createFetch = (options: SecretFetchOptions, caller: Caller = owner) =>
    createSecretFetch(vaultSecrets(service, caller), options)
  return { service, owner, vaultId, itemId, pem, publicKey, createFetch, entriesOf }
}

describe('createSecretFetch with sign', () => {
  it('signs a request with values that it does not contain, and masks them', async () => {
    const { createFetch } = await setUp()
    const { sent, fetch } = createApi(() => new Response(`${key} and AKIA_IS_NO_SECRET in eu`))
    const body = JSON.stringify({ amount: 7 })
    const headers = { [signHeader]: 'hmac op://Acme/API', 'content-type': 'application/json' }
    const response = await createFetch({ sign: { hmac }, fetch })(`${origin}/pay?x=1`, {
      ...{ method: 'POST', headers, body },
    })
    expect(await response.text()).toBe('[secret] and [secret] in eu')
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({ url: `${origin}/pay?x=1`, method: 'POST', body })
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toEqual({
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'x-key-id': 'AKIA_IS_NO_SECRET',
      'x-signature': toSignature(key, body),
    })
  })

  it('signs with a private key of many lines, which the API verifies', async () => {
    const { createFetch, pem, publicKey } = await setUp()
    const jwt: SignRequest = async (request, values) => {
      const privateKey = await importPKCS8(String(values['pem']), 'RS256')
      const token = await new SignJWT({ iss: '7' })
        .setProtectedHeader({ alg: 'RS256' })
        .sign(privateKey)
      const headers = { ...Object.fromEntries(request.headers), authorization: `Bearer ${token}` }
      return new Request(request, { headers })
    }
    const { sent, fetch } = createApi(() => new Response(pem))
    const headers = { [signHeader]: 'jwt op://Acme/API' }
    const response = await createFetch({ sign: { jwt }, fetch })(origin, { headers })
    expect(await response.text()).not.toContain(pem.split('\n')[1])
    const token = String(sent[0]?.headers.get('authorization')).replace('Bearer ', '')
    expect((await jwtVerify(token, publicKey)).payload).toEqual({ iss: '7' })
  })

  it('passes the values of an item by id, without notes and what credentials keep', async () => {
    const { createFetch, pem } = await setUp()
    const sign = vi.fn((request: Request, _values: Readonly<Record<string, string>>) => request)
    const { fetch } = createApi()
    const headers = { [signHeader]: 'hmac op://Acme/API' }
    await createFetch({ sign: { hmac: sign }, fetch })(origin, { headers })
    const [request, values] = sign.mock.calls[0] ?? []
    expect(request?.headers.has(signHeader)).toBe(false)
    expect(values).toEqual({ id: 'AKIA_IS_NO_SECRET', key, pem, region: 'eu', empty: '' })
  })

  it('never passes a refresh token', async () => {
    const { createFetch, service, owner, vaultId } = await setUp()
    const tokens = { accessToken: 'a1', refreshToken: 'r1', origins: [origin] }
    const grants = vaultGrants(service, owner)
    const { itemId } = await grants.save(vaultId, { name: 'mail', ...tokens })
    const sign = vi.fn((request: Request, _values: Readonly<Record<string, string>>) => request)
    const { fetch } = createApi()
    const headers = { [signHeader]: `hmac op://${vaultId}/${itemId}` }
    await createFetch({ sign: { hmac: sign }, fetch })(origin, { headers })
    expect(sign.mock.calls[0]?.[1]).toMatchObject({ credential: 'a1', name: 'mail' })
    expect(sign.mock.calls[0]?.[1]).not.toHaveProperty('refresh_token')
  })

  it('fills in references of the same request before it is signed', async () => {
    const { createFetch } = await setUp()
    const { sent, fetch } = createApi()
    const headers = { [signHeader]: 'hmac op://Acme/API', 'x-api-key': '{{ op://Acme/API/key }}' }
    const response = await createFetch({ sign: { hmac }, fetch })(origin, { headers })
    expect(sent[0]?.headers.get('x-api-key')).toBe(key)
    expect(sent[0]?.headers.get('x-signature')).toBe(toSignature(key, ''))
    expect(await response.text()).not.toContain(key)
  })

  it('signs each redirect again, and none of another origin', async () => {
    const { createFetch } = await setUp()
    let location = '/second'
    const { sent, fetch } = createApi(({ url }) =>
      url.endsWith('/first')
        ? new Response(null, { status: 302, headers: { location } })
        : new Response('done'),
    )
    const sign = { path: (request: Request) => withHeader(request, new URL(request.url).pathname) }
    const secretFetch = createFetch({ sign, fetch })
    const headers = { [signHeader]: 'path op://Acme/API' }
    expect(await (await secretFetch(`${origin}/first`, { headers })).text()).toBe('done')
    expect(sent.map((one) => one.headers.get('x-signed'))).toEqual(['/first', '/second'])
    location = 'https://evil.example/'
    expect(isRefusal(await secretFetch(`${origin}/first`, { headers }))).toBe(true)
    expect(sent).toHaveLength(3)
  })

  it('reads a stream that is signed', async () => {
    const { createFetch } = await setUp()
    const { sent, fetch } = createApi()
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        setTimeout(() => {
          controller.enqueue(new TextEncoder().encode('late'))
          controller.close()
        })
      },
    })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    const headers = { [signHeader]: 'hmac op://Acme/API', 'content-type': 'text/plain' }
    await createFetch({ sign: { hmac }, fetch })(origin, { ...init, headers })
    expect(sent[0]).toMatchObject({ body: 'late' })
    expect(sent[0]?.headers.get('x-signature')).toBe(toSignature(key, 'late'))
  })

  it('asks allow before the values are read, and records the use by its scheme', async () => {
    const { createFetch, entriesOf } = await setUp()
    const { sent, fetch } = createApi()
    const allow = vi.fn(({ method }: { method: string }) => method === 'GET')
    const secretFetch = createFetch({ sign: { hmac }, fetch, allow })
    const headers = { [signHeader]: 'hmac op://Acme/API' }
    const entries = await entriesOf(async () => {
      await secretFetch(origin, { headers })
      const refused = await secretFetch(origin, { headers, method: 'DELETE' })
      expect((await refused.json()).message).toBe(
        'the use of the secret is not allowed: op://Acme/API in sign:hmac, for https://api.test',
      )
    })
    expect(sent).toHaveLength(1)
    expect(allow.mock.calls[0]?.[0]).toEqual({
      ...{ reference: 'op://Acme/API', place: 'sign:hmac', method: 'GET' },
      url: new URL(origin),
    })
    const uses = entries.filter(({ operation }) => operation === 'useField')
    expect(uses).toMatchObject([
      { result: 'SUCCESS', use: { origin, method: 'GET', place: 'sign:hmac' } },
      { result: 'DENY', use: { origin, method: 'DELETE', place: 'sign:hmac' } },
    ])
  })

  it('signs for a caller who may use the item in this way', async () => {
    const { createFetch, vaultId, itemId } = await setUp()
    const { sent, fetch } = createApi()
    const headers = { [signHeader]: `hmac op://${vaultId}/${itemId}` }
    const send = (places: readonly string[]) => {
      const agent = createCaller({ id: 'agent', vaults: { [vaultId]: 'use' }, use: [{ places }] })
      return createFetch({ sign: { hmac }, fetch }, agent)(origin, { headers })
    }
    expect((await send(['sign:hmac'])).status).toBe(200)
    expect((await send(['header:authorization'])).status).toBe(403)
    expect(sent).toHaveLength(1)
  })

  it('refuses an origin that the item does not have', async () => {
    const { createFetch } = await setUp()
    const { sent, fetch } = createApi()
    const sign = vi.fn(hmac)
    const headers = { [signHeader]: 'hmac op://Acme/API' }
    const response = await createFetch({ sign: { hmac: sign }, fetch })('https://evil.example', {
      headers,
    })
    expect(response.status).toBe(403)
    expect(sign).not.toHaveBeenCalled()
    expect(sent).toHaveLength(0)
  })

  it.each([
    ['hmac op://Acme', 'must have the form: aws op://vault/item'],
    ['op://Acme/API', 'must have the form: aws op://vault/item'],
    ['hmac op://Acme/API/key', 'must have the form: aws op://vault/item'],
    ['hmac op://Acme/API, hmac op://Acme/API', 'must have the form: aws op://vault/item'],
    ['other op://Acme/API', 'must begin with a name in the option sign'],
    ['constructor op://Acme/API', 'must begin with a name in the option sign'],
  ])('refuses the header %s with 403, and sends nothing', async (header, problem) => {
    const { createFetch } = await setUp()
    const { sent, fetch } = createApi()
    const headers = { [signHeader]: header }
    for (const sign of [{ hmac }, undefined]) {
      const response = await createFetch({ sign, fetch })(origin, { headers })
      expect(response.status).toBe(403)
      const message = sign === undefined && header.startsWith('hmac op://Acme/API') ? '' : problem
      expect((await response.json()).message).toContain(message)
    }
    expect(sent).toHaveLength(0)
  })

  it.each<[string, SignRequest]>([
    ['sign must return a Request', async () => 'signed' as never],
    ['sign failed', () => Promise.reject(new Error(key))],
    [
      'sign must return a request of the same origin and method',
      () => new Request('https://evil.example'),
    ],
    [
      'sign must return a request of the same origin and method',
      (request) => new Request(request.url, { method: 'POST' }),
    ],
  ])('rejects with RuleError, and sends nothing: %s', async (message, sign) => {
    const { createFetch } = await setUp()
    const { sent, fetch } = createApi()
    const headers = { [signHeader]: 'own op://Acme/API' }
    const call = createFetch({ sign: { own: sign }, fetch })(origin, { headers })
    await expect(call).rejects.toEqual(new RuleError(message))
    expect(sent).toHaveLength(0)
  })

  it.each([[7], [{ aws: 'aws' }], [null]])('throws TypeError for sign: %o', (sign) => {
    const source = async () => expect.unreachable()
    expect(() => createSecretFetch(source, { sign: sign as never })).toThrow(TypeError)
  })
})

describe('createSecretFetch with sign and a source of the embedder', () => {
  const headers = { [signHeader]: 'hmac op://keys/7' }
  const send = (source: SecretSource) => {
    const { sent, fetch } = createApi()
    const secretFetch = createSecretFetch(source, { sign: { hmac }, fetch, refusal: 'throw' })
    return { sent, call: secretFetch(origin, { headers }) }
  }

  it('signs with the values that it reads, for a reference to all of them', async () => {
    const source = vi.fn<SecretSource>((_reference, _target, next) =>
      next(async () => ({ values: { id: 'key-7', key }, origins: [origin] })),
    )
    const { sent, call } = send(source)
    await call
    expect(sent[0]?.headers.get('x-key-id')).toBe('key-7')
    expect(source.mock.calls.map((args) => args.slice(0, 2))).toEqual([
      [
        { vault: 'keys', item: '7', all: true },
        { origin, method: 'GET', place: 'sign:hmac' },
      ],
    ])
  })

  it('asks allow before the values are read', async () => {
    const { sent, fetch } = createApi()
    const source = sourceOf(async () => expect.unreachable('the values were read'))
    const options = { sign: { hmac }, fetch, allow: () => false, refusal: 'throw' } as const
    const call = createSecretFetch(source, options)(origin, { headers })
    await expect(call).rejects.toMatchObject({ reason: 'NOT_ALLOWED' })
    expect(sent).toHaveLength(0)
  })

  it.each<[string, SecretSource]>([
    ['secrets must call next', async () => {}],
    ['secrets failed', () => Promise.reject(new Error(key))],
    ['secrets failed', sourceOf(() => Promise.reject(new Error(key)))],
    ...[
      undefined,
      { origins: [origin] },
      { value: key, origins: [origin] },
      { values: { key: 7 }, origins: [origin] },
      { values: 'k' },
    ].map((found): [string, SecretSource] => [
      'secrets must read an object with values and origins',
      sourceOf(async () => found as never),
    ]),
    ['secrets must read an object with origins', sourceOf(async () => ({ values: {} }) as never)],
  ])('rejects with RuleError: %s', async (message, source) => {
    const { sent, call } = send(source)
    await expect(call).rejects.toEqual(new RuleError(message))
    expect(sent).toHaveLength(0)
  })

  it('refuses values of another origin', async () => {
    const read = async () => ({ values: { key }, origins: ['https://other.test'] })
    const { call } = send(sourceOf(read))
    await expect(call).rejects.toMatchObject({ code: 'SECRET_USE_REFUSED', reason: 'ORIGIN' })
  })
})

function withHeader(request: Request, text: string): Request {
  const headers = new Headers(request.headers)
  headers.set('x-signed', text)
  return new Request(request, { headers })
}
