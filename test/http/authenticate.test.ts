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
import { itemUrl, requestTo, saidIn } from '../support/http/requests.js'
import { recordingStore } from '../support/stores/stores.js'

const secret = 'hunter2'

/** The answer to a good request, what the operator is told, and what was asked of the store. */
async function answerWith(
  authenticate: () => unknown,
): Promise<{ response: HttpResponse; errors: unknown[]; calls: string[] }> {
  const store = recordingStore()
  const vault = await createTestVault({ store })
  store.calls.length = 0
  const errors: unknown[] = []
  const handler = createHttpHandler(vault.service, {
    authenticate: authenticate as HttpHandlerOptions['authenticate'],
    authenticationTimeoutMs: 30,
    onError: (error) => errors.push(error),
  })
  const response = await handler(requestTo(vault, 'GET', itemUrl(vault)))
  await new Promise((resolve) => setTimeout(resolve, 5))
  return { response, errors, calls: store.calls }
}

describe('createHttpHandler, its authenticate', () => {
  it.each<[string, () => unknown]>([
    [
      'throws a foreign error',
      () => {
        throw new Error(secret)
      },
    ],
    ['rejects with a foreign error', () => Promise.reject(new Error(secret))],
    ['rejects with no error at all', () => Promise.reject(secret)],
    ['never answers', () => new Promise(() => undefined)],
    [
      'never answers, as a promise of another kind',
      () => Object.fromEntries([['then', () => undefined]]),
    ],
    ['answers null', () => null],
    ['answers true', () => true],
    ['answers false', () => false],
    ['answers a text', () => secret],
    ['answers an empty object', async () => ({})],
    ['answers rights without an id', () => ({ can: () => true })],
    ['answers an empty id', () => createCaller('', '*')],
    ['answers an id without rights', () => ({ id: secret })],
    ['answers a may that is no function', () => ({ id: secret, can: true })],
    ['answers a may that never answers', () => ({ id: 'x', can: () => new Promise(() => {}) })],
    ['answers a may that rejects', () => ({ id: 'x', can: () => Promise.reject(secret) })],
    [
      'answers a may that throws',
      () => ({
        id: 'x',
        can() {
          throw new StorageError(secret)
        },
      }),
    ],
    ['finds its store out of order', () => Promise.reject(new StorageError('out of order'))],
    ['says that something is not found', () => Promise.reject(new NotFoundError('vault', 'x'))],
    ['says that something is forbidden', () => Promise.reject(new ForbiddenError('x'))],
    [
      'says that its input is invalid',
      () => {
        throw new InvalidInputError([{ path: '', message: secret }])
      },
    ],
  ])('answers 503 when it %s', async (_how, authenticate) => {
    const { response, errors, calls } = await answerWith(authenticate)
    expect(saidIn(response)).toEqual({
      status: 503,
      body: { status: 503, message: 'Service temporarily unavailable' },
    })
    expect(response.headers['retry-after']).toBe('1')
    expect(errors).toMatchObject([{ code: 'AUTHENTICATION_UNAVAILABLE' }])
    expect(inspect(errors, { depth: 10, showHidden: true })).not.toContain(secret)
    expect(calls).toEqual([])
  })

  it.each<[string, () => unknown]>([
    ['answers undefined', () => undefined],
    ['answers undefined later', async () => undefined],
    [
      'throws an UnauthorizedError',
      () => {
        throw new UnauthorizedError()
      },
    ],
    ['rejects with an UnauthorizedError', () => Promise.reject(new UnauthorizedError())],
  ])('answers 401 when it %s', async (_how, authenticate) => {
    const { response, errors, calls } = await answerWith(authenticate)
    expect(saidIn(response)).toEqual({
      status: 401,
      body: { status: 401, message: 'Invalid bearer token' },
    })
    expect(response.headers['www-authenticate']).toBe('Bearer')
    expect([errors, calls]).toEqual([[], []])
  })

  it('answers 403 when the caller it answers has a `may` that throws a ForbiddenError', async () => {
    const forbidding = async (): Promise<never> => {
      throw new ForbiddenError('v')
    }
    const { response, errors } = await answerWith(() => ({ id: 'x', can: forbidding }))
    expect([response.status, errors]).toEqual([403, []])
  })

  it.each<[string, () => unknown]>([
    ['at once', () => createCaller('me', '*')],
    ['later', async () => createCaller('me', '*')],
  ])('lets in the caller it answers %s', async (_when, authenticate) => {
    const { response } = await answerWith(authenticate)
    expect(response.status).toBe(200)
  })

  it('tells the operator which error it was by name and code, not by words', async () => {
    const { errors } = await answerWith(() => {
      throw Object.assign(new TypeError(secret), { code: 'ECONNREFUSED' })
    })
    expect(errors).toMatchObject([{ cause: { message: 'TypeError ECONNREFUSED' } }])
  })

  it('is not asked about paths that are not there, and is asked before a body is read', async () => {
    const vault = await createTestVault()
    const seen: string[] = []
    const handler = createHttpHandler(vault.service, {
      authenticate: (request) => {
        seen.push(request.url)
        return undefined
      },
    })
    async function* body(): AsyncGenerator<Uint8Array> {
      seen.push('body')
      yield new Uint8Array(1)
    }
    expect((await handler(requestTo(vault, 'GET', '/nowhere'))).status).toBe(404)
    expect((await handler(requestTo(vault, 'PUT', itemUrl(vault), { body: body() }))).status).toBe(
      401,
    )
    expect(seen).toEqual([itemUrl(vault)])
  })
})
