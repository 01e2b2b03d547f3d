import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { HttpResponse } from '../../src/http/message.js'
import type { HttpHandlerOptions } from '../../src/http.js'
import {
  createCaller,
  ForbiddenError,
  InvalidInputError,
  NotFoundError,
  StorageError,
  UnauthorizedError,
} from '../../src/index.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, itemUrl, parseResponse } from '../support/http/requests.js'
import { createRecordingStore } from '../support/stores/stores.js'

const secret = 'hunter2'

/** Returns the response to a valid request, the errors of `onError`, and the calls of the store. */
async function requestWith(
  authenticate: () => unknown,
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
  const response = await handler(createRequest(vault, 'GET', itemUrl(vault)))
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
    ['returns null', () => null],
    ['returns true', () => true],
    ['returns false', () => false],
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
    ['rejects with a NotFoundError', () => Promise.reject(new NotFoundError('vault', 'x'))],
    ['rejects with a ForbiddenError', () => Promise.reject(new ForbiddenError('x'))],
    [
      'throws an InvalidInputError',
      () => {
        throw new InvalidInputError([{ path: '', message: secret }])
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
    ['resolves with undefined', async () => undefined],
    [
      'throws an UnauthorizedError',
      () => {
        throw new UnauthorizedError()
      },
    ],
    ['rejects with an UnauthorizedError', () => Promise.reject(new UnauthorizedError())],
  ])('responds with 401 when authenticate %s', async (_how, authenticate) => {
    const { response, errors, calls } = await requestWith(authenticate)
    expect(parseResponse(response)).toEqual({
      status: 401,
      body: { status: 401, message: 'Invalid bearer token' },
    })
    expect(response.headers['www-authenticate']).toBe('Bearer')
    expect([errors, calls]).toEqual([[], []])
  })

  it('responds with 403 when `can` of the caller throws a ForbiddenError', async () => {
    const forbidding = async (): Promise<never> => {
      throw new ForbiddenError('v')
    }
    const { response, errors } = await requestWith(() => ({ id: 'x', can: forbidding }))
    expect([response.status, errors]).toEqual([403, []])
  })

  it.each<[string, () => unknown]>([
    ['returns', () => createCaller('me', '*')],
    ['resolves with', async () => createCaller('me', '*')],
  ])('accepts a caller that authenticate %s', async (_when, authenticate) => {
    const { response } = await requestWith(authenticate)
    expect(response.status).toBe(200)
  })

  it('calls onError with the name and the code of the error, not with its message', async () => {
    const { errors } = await requestWith(() => {
      throw Object.assign(new TypeError(secret), { code: 'ECONNREFUSED' })
    })
    expect(errors).toMatchObject([{ cause: { message: 'TypeError ECONNREFUSED' } }])
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
})
