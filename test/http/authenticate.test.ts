import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  invalidInputError,
  invalidTokenError,
  notFoundError,
  vaultNotInScopeError,
} from '../../src/base/fixed-errors.js'
import type { HttpResponse } from '../../src/http/message.js'
import { bearerAuth, type HttpHandlerOptions } from '../../src/http.js'
import {
  type Caller,
  createCaller,
  ForbiddenError,
  StorageError,
  TooManyRequestsError,
} from '../../src/index.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, itemUrl, parseResponse } from '../support/http/requests.js'
import { itemRef } from '../support/items/refs.js'
import { createRecordingStore } from '../support/stores/stores.js'

const secret = 'hunter2'

/** Returns the response to a valid request, the errors of `onError`, and the calls of the store. */
async function requestWith(
  authenticate: () => unknown,
  url?: string,
): Promise<{ response: HttpResponse; errors: unknown[]; calls: string[] }> {
  const store = createRecordingStore()
  const vault = await createTestVault({ store })
  store.calls.length = 0
  const errors: unknown[] = []
  const handler = createHttpHandler(vault.service, {
    authenticate: authenticate as HttpHandlerOptions['authenticate'],
    authenticationTimeoutMs: 30,
    onError: (error) => errors.push(error),
  })
  const response = await handler(createRequest(vault, 'GET', url ?? itemUrl(vault)))
  await new Promise((resolve) => setTimeout(resolve, 5))
  return { response, errors, calls: store.calls }
}

describe('createHttpHandler authenticate', () => {
  it.each<[string, () => unknown]>([
    [
      'throws a foreign error',
      () => {
        throw new Error(secret)
      },
    ],
    ['rejects with a foreign error', () => Promise.reject(new Error(secret))],
    ['rejects with no error at all', () => Promise.reject(secret)],
    ['never settles', () => new Promise(() => undefined)],
    ['never settles, as a thenable', () => Object.fromEntries([['then', () => undefined]])],
    ['returns true', () => true],
    ['returns a string', () => secret],
    ['returns an empty object', async () => ({})],
    ['returns a caller without an id', () => ({ can: () => true })],
    ['returns a caller with an empty id', () => ({ id: '', can: () => true })],
    ['returns a caller without can', () => ({ id: secret })],
    ['returns a caller whose can is not a function', () => ({ id: secret, can: true })],
    [
      'returns a caller whose can never settles',
      () => ({ id: 'x', can: () => new Promise(() => {}) }),
    ],
    ['returns a caller whose can rejects', () => ({ id: 'x', can: () => Promise.reject(secret) })],
    [
      'returns a caller whose can throws',
      () => ({
        id: 'x',
        can() {
          throw new StorageError(secret)
        },
      }),
    ],
    ['finds its store out of order', () => Promise.reject(new StorageError('out of order'))],
    ['rejects with a NotFoundError', () => Promise.reject(notFoundError('vault', 'x'))],
    [
      'throws an InvalidInputError',
      () => {
        throw invalidInputError([{ path: '', message: secret }])
      },
    ],
  ])('responds with 503 when authenticate %s', async (_how, authenticate) => {
    const { response, errors, calls } = await requestWith(authenticate)
    expect(parseResponse(response)).toEqual({
      status: 503,
      body: { status: 503, message: 'Service temporarily unavailable' },
    })
    expect(response.headers['retry-after']).toBe('1')
    expect(errors).toMatchObject([{ code: 'AUTHENTICATION_UNAVAILABLE' }])
    expect(inspect(errors, { depth: 10, showHidden: true })).not.toContain(secret)
    expect(calls).toEqual([])
  })

  it.each<[string, () => unknown]>([
    ['returns undefined', () => undefined],
    ['returns null', () => null],
    ['returns false', () => false],
    ['resolves with an empty string', async () => ''],
    ['resolves with undefined', async () => undefined],
    [
      'throws an UnauthorizedError',
      () => {
        throw invalidTokenError()
      },
    ],
    ['rejects with an UnauthorizedError', () => Promise.reject(invalidTokenError())],
  ])('responds with 401 when authenticate %s', async (_how, authenticate) => {
    const { response, errors, calls } = await requestWith(authenticate)
    expect(parseResponse(response)).toEqual({
      status: 401,
      body: { status: 401, message: 'Invalid bearer token' },
    })
    expect(response.headers['www-authenticate']).toBe('Bearer')
    expect([errors, calls]).toEqual([[], []])
  })

  it.each<[string, Caller['filterVaults'], number]>([
    ['returns ids', () => [], 200],
    ['resolves with ids', async () => [], 200],
    ['throws', () => expect.fail('no database'), 503],
    ['rejects', () => Promise.reject(new Error('no database')), 503],
    ['never settles', () => new Promise(() => {}), 503],
    ['returns no list', (() => undefined) as never, 503],
    ['resolves with a number', (async () => 5) as never, 503],
    ['is no function', 5 as never, 503],
  ])('responds to a list of vaults when filterVaults %s', async (_how, filterVaults, status) => {
    const caller = { id: 'x', can: () => true, filterVaults } as Caller
    const { response } = await requestWith(() => caller, '/v1/vaults')
    expect(response.status).toBe(status)
    if (status === 200) expect(parseResponse(response).body).toEqual([])
  })

  it('calls the methods of a caller as methods', async () => {
    class OwnCaller {
      readonly id = 'own'
      readonly #vaults = ['x']
      can() {
        return this.#vaults.length > 0
      }
      filterVaults() {
        return this.#vaults
      }
    }
    expect((await requestWith(() => new OwnCaller(), '/v1/vaults')).response.status).toBe(200)
    expect((await requestWith(() => new OwnCaller())).response.status).toBe(200)
  })

  it.each([
    [undefined, 'Bearer', 'Invalid bearer token'],
    ['Bearer realm="vault"', 'Bearer realm="vault"', 'Invalid bearer token'],
    ['DPoP', 'DPoP', 'Authentication is required'],
    [null, undefined, 'Authentication is required'],
  ])('responds with 401 and its challenge when that is %j', async (challenge, header, message) => {
    const authenticate = () => undefined
    const { response } = await requestWith(
      challenge === undefined ? authenticate : Object.assign(authenticate, { challenge }),
    )
    expect(parseResponse(response)).toEqual({ status: 401, body: { status: 401, message } })
    expect(response.headers['www-authenticate']).toBe(header)
  })

  it('responds with 401 without a bearer token when bearerAuth is used', async () => {
    const vault = await createTestVault()
    const authenticate = bearerAuth(async () => createCaller({ id: 'me', vaults: '*' }))
    const handler = createHttpHandler(vault.service, { authenticate })
    const request = createRequest(vault, 'GET', itemUrl(vault))
    const response = await handler({ ...request, header: () => undefined })
    expect(parseResponse(response).body).toEqual({ status: 401, message: 'Invalid bearer token' })
  })

  it.each<[number, () => unknown]>([
    [403, () => Promise.reject(new ForbiddenError('changes must come from this site'))],
    [
      429,
      () => {
        throw new TooManyRequestsError('slow down')
      },
    ],
  ])('responds with %i when authenticate refuses the request so', async (status, authenticate) => {
    const { response, errors } = await requestWith(authenticate)
    expect([response.status, errors]).toEqual([status, []])
  })

  it('responds with 403 when `can` of the caller throws a ForbiddenError', async () => {
    const forbidding = async (): Promise<never> => {
      throw vaultNotInScopeError('v')
    }
    const { response, errors } = await requestWith(() => ({ id: 'x', can: forbidding }))
    expect([response.status, errors]).toEqual([403, []])
  })

  it.each<[string, () => unknown]>([
    ['returns', () => createCaller({ id: 'me', vaults: '*' })],
    ['resolves with', async () => createCaller({ id: 'me', vaults: '*' })],
  ])('accepts a caller that authenticate %s', async (_when, authenticate) => {
    const { response } = await requestWith(authenticate)
    expect(response.status).toBe(200)
  })

  it('calls onError with the class, the code and the frames of the error, not with its message', async () => {
    const { errors } = await requestWith(function findSession() {
      throw Object.assign(new TypeError(secret), { code: 'ECONNREFUSED' })
    })
    expect(errors).toMatchObject([{ message: 'authenticate failed' }])
    const [{ cause }] = errors as [{ cause: Error }]
    expect(cause.stack).toMatch(/^Error: TypeError ECONNREFUSED\n {4}at .*findSession /)
  })

  const hanging = (): Promise<never> => new Promise(() => {})

  it.each<[string, () => unknown]>([
    ['authenticate returned a string: return createCaller(…)', () => secret],
    ['authenticate returned a boolean: return createCaller(…)', async () => true],
    [
      'authenticate returned an object without the method can: return createCaller(…)',
      () => ({ id: 7, email: secret }),
    ],
    ['authenticate returned a caller without an id: return createCaller(…)', () => ({ can() {} })],
    ['authenticate did not settle within 30 ms', hanging],
    ['can of the caller failed', () => ({ id: 'x', can: () => Promise.reject(secret) })],
    ['can did not settle within 30 ms', () => ({ id: 'x', can: hanging })],
  ])('names the function and its result: %s', async (message, authenticate) => {
    expect((await requestWith(authenticate)).errors).toMatchObject([{ message }])
  })

  it.each<[string, () => unknown]>([
    ['filterVaults of the caller failed', () => Promise.reject(secret)],
    ['filterVaults did not settle within 30 ms', hanging],
  ])('names the function when it is filterVaults: %s', async (message, filterVaults) => {
    const caller = { id: 'x', can: () => true, filterVaults }
    const { errors } = await requestWith(() => caller, '/v1/vaults')
    expect(errors).toMatchObject([{ message }])
  })

  it('is called before a body is read, and not for unknown paths', async () => {
    const vault = await createTestVault()
    const events: string[] = []
    const handler = createHttpHandler(vault.service, {
      authenticate: (request) => {
        events.push(request.url)
        return undefined
      },
    })
    async function* body(): AsyncGenerator<Uint8Array> {
      events.push('body')
      yield new Uint8Array(1)
    }
    expect((await handler(createRequest(vault, 'GET', '/nowhere'))).status).toBe(404)
    expect(
      (await handler(createRequest(vault, 'PUT', itemUrl(vault), { body: body() }))).status,
    ).toBe(401)
    expect(events).toEqual([itemUrl(vault)])
  })

  it('passes a caller to around that shows nothing of the request', async () => {
    const shown: string[] = []
    const vault = await createTestVault({
      async around({ caller }, next) {
        shown.push(JSON.stringify(caller), inspect(caller, { depth: 10, showHidden: true }))
        await next()
      },
    })
    shown.length = 0
    const handler = createHttpHandler(vault.service, {
      authenticate: () => ({ ...createCaller({ id: 'me', vaults: '*' }), tokenId: 'one' }),
    })
    const request = createRequest(vault, 'GET', itemUrl(vault))
    const response = await handler({ ...request, source: { mount: 'x', values: [secret] } })
    const { client: _, ...rest } = JSON.parse(shown[0] ?? '')
    expect([response.status, rest]).toEqual([200, { id: 'me', tokenId: 'one' }])
    expect(shown.join()).not.toContain(secret)
  })

  it('passes a caller to around that can be copied', async () => {
    const copies: Caller[] = []
    const vault = await createTestVault({
      async around({ caller }, next) {
        copies.push({ ...caller })
        await next()
      },
    })
    copies.length = 0
    const handler = createHttpHandler(vault.service, {
      authenticate: () => createCaller({ id: 'me', vaults: '*' }),
    })
    await handler(createRequest(vault, 'GET', itemUrl(vault)))
    const [copy] = copies
    expect(copy?.client?.requestId).toEqual(expect.any(String))
    expect((await vault.service.getItem(copy, itemRef(vault))).id).toBe(vault.item.id)
  })
})
