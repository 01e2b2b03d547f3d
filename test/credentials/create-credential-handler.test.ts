import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Caller, createCaller, ForbiddenError } from 'cofferkit'
import { createCredentialHandler, createCredentials } from 'cofferkit/credentials'
import { createFetchHandler } from 'cofferkit/fetch'
import { createNodeListener } from 'cofferkit/node'
import { describe, expect, it, vi } from 'vitest'
import { createTestVault } from '../support/http/checked-handlers.js'

const key = 'sk_live_0123456789abcdWXYZ'
const json = { 'content-type': 'application/json' }

type Options = Partial<Parameters<typeof createCredentialHandler>[1]>

/** Returns a function that sends requests to a handler in which `tester` is logged in. */
async function setUp(options: Options = {}) {
  const vault = await createTestVault()
  const { service, caller, vaultId } = vault
  const verify = vi.fn(async () => true)
  const fields = { key: {}, team: { secret: false, optional: true } }
  const credentials = createCredentials(service, { stripe: { fields, verify } })
  const handler = createCredentialHandler(credentials, {
    authenticate: (request) => (request.header('cookie') === 'none' ? undefined : caller),
    vaultOf: () => vaultId,
    ...options,
  })
  const handle = createFetchHandler(handler)
  const send = async (method: string, path: string, body?: unknown, headers: object = json) => {
    const init = {
      method,
      headers: { ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    const response = await handle(new Request(`https://app.example.com${path}`, init))
    const text = await response.text()
    return { response, status: response.status, text, body: text === '' ? '' : JSON.parse(text) }
  }
  return { ...vault, credentials, verify, send, own: credentials.of(caller, vaultId) }
}

describe('createCredentialHandler', () => {
  it('saves, shows, lists, verifies and deletes a credential', async () => {
    const { send, own } = await setUp()
    const saved = await send('PUT', '/credentials/stripe', { key, team: 'Acme' })
    expect(saved.status).toBe(200)
    expect(saved.body).toEqual(await own.describe('stripe'))
    expect(saved.body).toMatchObject({ fields: { key: { isSet: true, hint: '…WXYZ' } } })
    expect((await send('GET', '/credentials/stripe')).body).toEqual(saved.body)
    expect((await send('GET', '/credentials')).body).toEqual([saved.body])
    const verified = await send('POST', '/credentials/stripe/verify', {})
    expect(verified.body).toMatchObject({ version: 2, status: 'ok' })
    const deleted = await send('DELETE', '/credentials/stripe')
    expect([deleted.status, deleted.text]).toEqual([204, ''])
    expect((await send('GET', '/credentials')).body).toEqual([])
    for (const { text, response } of [saved, verified, deleted]) {
      expect(text).not.toContain(key)
      expect(response.headers.get('cache-control')).toBe('no-store')
    }
  })

  it('reads the account from the query', async () => {
    const { send, own } = await setUp()
    await send('PUT', '/credentials/stripe?account=a%20b', { key })
    expect(await own.describe('stripe', { account: 'a b' })).toMatchObject({ account: 'a b' })
    expect((await send('GET', '/credentials/stripe?account=a+b')).status).toBe(200)
    expect((await send('GET', '/credentials/stripe?account=other')).status).toBe(404)
    for (const query of ['account=', 'account=a&account=b', 'account=%ff'])
      expect([query, (await send('GET', `/credentials/stripe?${query}`)).status]).toEqual([
        query,
        400,
      ])
  })

  it.each([
    'Account=live',
    'acount=live',
    'account=live&Account=live',
    'account=live&page=1',
    '%41ccount=live',
    '=live',
    'live',
  ])('rejects the query %s, which would mean another credential', async (query) => {
    const { send, own } = await setUp()
    const credentials = [await own.save('stripe', { key }, { account: 'live' })]
    credentials.unshift(await own.save('stripe', { key }))
    for (const [method, path, body] of [
      ['PUT', '/credentials/stripe', { key: `${key}2` }],
      ['GET', '/credentials/stripe', undefined],
      ['POST', '/credentials/stripe/verify', {}],
      ['DELETE', '/credentials/stripe', undefined],
      ['GET', '/credentials', undefined],
    ] as const) {
      const { status, text } = await send(method, `${path}?${query}`, body)
      expect([method, status]).toEqual([method, 400])
      expect(text).not.toContain('live')
    }
    expect(await own.list()).toEqual(credentials)
  })

  it('rejects an account in the body, and in the query of the list', async () => {
    const { service, caller, vaultId, own } = await setUp()
    await own.save('stripe', { key }, { account: 'live' })
    const before = await own.save('stripe', { key })
    const kinds = { stripe: { fields: { key: {} } } }
    const handler = createCredentialHandler(createCredentials(service, kinds), {
      authenticate: () => caller,
      vaultOf: () => vaultId,
    })
    const server = createServer(createNodeListener(handler))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = server.address() as AddressInfo
    const send = async (method: string, path: string, body?: object) => {
      const url = `http://127.0.0.1:${port}${path}`
      const init = { method, headers: json, ...(body && { body: JSON.stringify(body) }) }
      return (await fetch(url, init)).status
    }
    const account = { account: 'live' }
    expect(await send('DELETE', '/credentials/stripe', account)).toBe(400)
    expect(await send('DELETE', '/credentials/stripe?Account=live')).toBe(400)
    expect(await send('POST', '/credentials/stripe/verify', account)).toBe(400)
    expect(await send('PUT', '/credentials/stripe', { key, ...account })).toBe(400)
    expect(await send('GET', '/credentials?account=live')).toBe(400)
    expect(await own.describe('stripe')).toEqual(before)
    expect(await send('DELETE', '/credentials/stripe?account=live')).toBe(204)
    expect(await own.list()).toEqual([before])
    server.close()
    server.closeAllConnections()
  })

  it('responds with 401 to a caller who has expired, before anything else is checked', async () => {
    const vault = await createTestVault()
    const expired = createCaller({ id: 'guest', vaults: '*', expiresAt: vault.clock() })
    const vaultOf = () => expect.unreachable('vaultOf was called')
    const credentials = createCredentials(vault.service, { stripe: { fields: { key: {} } } })
    const options = { authenticate: () => expired, vaultOf }
    const handle = createFetchHandler(createCredentialHandler(credentials, options))
    const response = await handle(new Request('https://app.example.com/credentials'))
    expect(await response.json()).toEqual({ status: 401, message: 'the caller has expired' })
  })

  it('responds to a rejection of the provider with 422, and to a hint with 400', async () => {
    const { send, verify, own } = await setUp()
    await own.save('stripe', { key })
    verify.mockResolvedValueOnce(false)
    const rejected = await send('PUT', '/credentials/stripe', { key: 'revoked' })
    const message = 'the provider rejects the values of stripe'
    expect(rejected.body).toEqual({ status: 422, message })
    const sent = await send('PUT', '/credentials/stripe', { key: '…WXYZ' })
    expect(sent.body).toEqual({
      status: 400,
      message: 'key is the hint of the stored value: leave it empty to keep that value',
    })
    expect(await own.reveal('stripe', 'key')).toBe(key)
  })

  it.each([
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a plain text', { 'content-type': 'text/plain' }],
    ['an upload', { 'content-type': 'multipart/form-data; boundary=x' }],
  ])('rejects %s, which another site can send', async (_, headers) => {
    const { send, own } = await setUp()
    await own.save('stripe', { key })
    expect((await send('POST', '/credentials/stripe/verify', {}, headers)).status).toBe(415)
    expect((await send('PUT', '/credentials/stripe', {}, headers)).status).toBe(415)
    expect(await own.describe('stripe')).toMatchObject({ version: 1 })
  })

  it('rejects a body without a type, which another site can send', async () => {
    const { credentials, caller, vaultId, own } = await setUp()
    await own.save('stripe', { key })
    const handler = createCredentialHandler(credentials, {
      authenticate: () => caller,
      vaultOf: () => vaultId,
    })
    const request = {
      method: 'POST',
      url: '/credentials/stripe/verify',
      header: () => undefined,
      body: new TextEncoder().encode('{}'),
    }
    expect(await handler(request)).toMatchObject({ status: 415 })
  })

  it.each([[[]], ['text'], [7], [null]])('rejects the body %j', async (body) => {
    const { send } = await setUp()
    expect((await send('PUT', '/credentials/stripe', body)).body).toEqual({
      status: 400,
      message: 'the body must be an object',
    })
    expect((await send('POST', '/credentials/stripe/verify', body)).status).toBe(400)
  })

  it('limits the body', async () => {
    const { send } = await setUp({ maxBodyBytes: 100 })
    const { status } = await send('PUT', '/credentials/stripe', { key: 'k'.repeat(100) })
    expect(status).toBe(413)
  })

  it.each([
    '/',
    '/credential',
    '/credentials//',
    '/credentials//stripe',
    '/credentials/stripe/reveal',
    '/credentials/stripe/verify/now',
    '/credentials//verify',
    '/credentials/%ff',
    '/credentials/toString',
    '/credentials/github',
    '/credentials/STRIPE',
  ])('responds to %s with 404', async (path) => {
    const { send } = await setUp()
    expect((await send('GET', path)).status).toBe(404)
  })

  it.each([
    ['POST', '/credentials', 'GET, HEAD'],
    ['POST', '/credentials/stripe', 'GET, HEAD, PUT, DELETE'],
    ['PATCH', '/credentials/stripe', 'GET, HEAD, PUT, DELETE'],
    ['GET', '/credentials/stripe/verify', 'POST'],
  ])('responds to %s %s with 405', async (method, path, allow) => {
    const { send } = await setUp()
    const { response, status } = await send(method, path)
    expect([status, response.headers.get('allow')]).toEqual([405, allow])
  })

  it('responds to HEAD like to GET, without the body', async () => {
    const { send } = await setUp()
    const { status, text, response } = await send('HEAD', '/credentials')
    expect([status, text, response.headers.get('content-length')]).toEqual([200, '', '2'])
  })

  it('serves the routes under a prefix', async () => {
    const { send } = await setUp({ basePath: '/api' })
    expect((await send('GET', '/api/credentials')).body).toEqual([])
    expect((await send('GET', '/credentials')).status).toBe(404)
  })

  it('reads the path of an absolute URL, and ignores its fragment', async () => {
    const { credentials, caller, vaultId } = await setUp()
    const options = { authenticate: () => caller, vaultOf: () => vaultId }
    const handler = createCredentialHandler(credentials, options)
    for (const url of ['https://a.example/credentials', '/credentials#a/b'])
      expect(
        await handler({ method: 'GET', url, header: () => undefined, body: null }),
      ).toMatchObject({ status: 200 })
  })

  it('responds with 401 without a caller, before it looks at names', async () => {
    const { send } = await setUp()
    const headers = { ...json, cookie: 'none' }
    for (const name of ['stripe', 'github'])
      expect((await send('PUT', `/credentials/${name}`, { key }, headers)).status).toBe(401)
  })

  it('passes the caller and the request to vaultOf', async () => {
    const vaultOf = vi.fn((caller: Caller) => {
      if (caller.id === 'tester') throw new ForbiddenError('no customer')
      return ''
    })
    const { send, caller } = await setUp({ vaultOf })
    const { body } = await send('GET', '/credentials?account=a')
    expect(body).toEqual({ status: 403, message: 'no customer' })
    expect(vaultOf).toHaveBeenCalledWith(
      expect.objectContaining({ id: caller.id }),
      expect.objectContaining({ method: 'GET' }),
    )
  })

  it.each<[string, () => string]>([
    ['vaultOf failed', () => JSON.parse(key)],
    ['vaultOf did not return the id of a vault', () => undefined as never],
    ['vaultOf did not return the id of a vault', () => '../x'],
  ])('responds with 500 and reports: %s', async (message, vaultOf) => {
    const onError = vi.fn()
    const { send } = await setUp({ vaultOf, onError })
    const { body } = await send('GET', '/credentials')
    expect(body).toEqual({ status: 500, message: 'Internal server error' })
    expect(onError.mock.calls[0]?.[0]).toMatchObject({ code: 'RULE_FAILED', message })
  })

  it('responds with 403 to a caller without rights to the vault', async () => {
    const { credentials, vaultId } = await setUp()
    const handle = createFetchHandler(
      createCredentialHandler(credentials, {
        authenticate: () => createCaller({ id: 'wendy', vaults: {} }),
        vaultOf: async () => vaultId,
      }),
    )
    const { status } = await handle(new Request('https://app.example.com/credentials'))
    expect(status).toBe(403)
  })
})
