import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { invalidTokenError } from '../../src/base/fixed-errors.js'
import {
  createHttpHandler as createUncheckedHandler,
  type HttpHandlerOptions,
  type ProbeName,
} from '../../src/http.js'
import { createCaller, ForbiddenError, TooManyRequestsError } from '../../src/index.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { createRequest, itemUrl, parseResponse } from '../support/http/requests.js'
import { createRecordingStore } from '../support/stores/stores.js'

type Access = NonNullable<HttpHandlerOptions['probes']>[ProbeName]

const secret = 'hunter2'
const probes: readonly (readonly [ProbeName, string])[] = [
  ['heartbeat', '/heartbeat'],
  ['health', '/health'],
  ['metrics', '/metrics'],
  ['openapi', '/v1/openapi.json'],
]
const openApiDocument = { openapi: '3.1.0' }

/**
 * Sends GET to a path without a token, on a handler that restricts probes. `reached` is true if a
 * call of the store was made or a caller was authenticated.
 */
async function request(path: string, probes: HttpHandlerOptions['probes'], method = 'GET') {
  const store = createRecordingStore()
  const vault = await createTestVault({ store })
  store.calls.length = 0
  const errors: unknown[] = []
  let isAuthenticated = false
  const handler = createHttpHandler(vault.service, {
    authenticate() {
      isAuthenticated = true
      return createCaller({ id: 'wendy', vaults: '*' })
    },
    authenticationTimeoutMs: 30,
    onError: (error) => errors.push(error),
    openApiDocument,
    ...(probes && { probes }),
  })
  const response = await handler(createRequest(vault, method, path))
  await new Promise((resolve) => setTimeout(resolve, 5))
  return { response, errors, calls: store.calls, isAuthenticated }
}

const notFound = { status: 404, body: { status: 404, message: 'no such resource' } }

describe.each(probes)('createHttpHandler probes.%s', (name, path) => {
  it.each<[string, HttpHandlerOptions['probes']]>([
    ['probes is absent', undefined],
    ['probes has no entry', {}],
    ['it is true', { [name]: true }],
    ['the others are off', Object.fromEntries(probes.map(([other]) => [other, other === name]))],
  ])('responds without a caller when %s', async (_, probes) => {
    const { response, isAuthenticated } = await request(path, probes)
    expect([response.status, isAuthenticated]).toEqual([200, false])
  })

  it.each(['GET', 'HEAD'])(
    'responds to %s with 404, without a call of the store, when it is false',
    async (method) => {
      const { response, calls, isAuthenticated, errors } = await request(
        path,
        { [name]: false },
        method,
      )
      expect(response.status).toBe(404)
      if (method === 'GET') expect(parseResponse(response)).toEqual(notFound)
      expect([calls, isAuthenticated, errors]).toEqual([[], false, []])
    },
  )

  it.each<[string, Access]>([
    ['returns true', () => true],
    ['resolves with true', async () => true],
    [
      'returns true for the request',
      ({ url, header }) => url === path && header('x-none') === undefined,
    ],
  ])('responds when the check %s', async (_, check) => {
    expect((await request(path, { [name]: check as never })).response.status).toBe(200)
  })

  it.each<[string, () => unknown]>([
    ['returns false', () => false],
    ['resolves with false', async () => false],
    ['returns nothing', () => undefined],
    ['returns a text', () => 'yes'],
    ['resolves with a caller', async () => createCaller({ id: 'wendy', vaults: '*' })],
  ])('responds with 404, without a call of the store, when the check %s', async (_, check) => {
    const { response, calls, errors } = await request(path, { [name]: check as never })
    expect(parseResponse(response)).toEqual(notFound)
    expect([calls, errors]).toEqual([[], []])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error(secret)
      },
    ],
    ['rejects', () => Promise.reject(new TypeError(secret))],
    ['never settles', () => new Promise(() => {})],
  ])('responds with 503 when the check %s', async (_, check) => {
    const { response, calls, errors } = await request(path, { [name]: check as never })
    expect(parseResponse(response)).toEqual({
      status: 503,
      body: { status: 503, message: 'Service temporarily unavailable' },
    })
    const message = expect.stringMatching(`^probes.${name} (?:failed|did not settle within 30 ms)$`)
    expect(errors).toMatchObject([{ code: 'AUTHENTICATION_UNAVAILABLE', message }])
    expect(inspect(errors, { depth: 10, showHidden: true })).not.toContain(secret)
    expect(calls).toEqual([])
  })

  it.each([
    ['an UnauthorizedError', invalidTokenError(), 401],
    ['a ForbiddenError', new ForbiddenError('from inside only'), 403],
    ['a TooManyRequestsError', new TooManyRequestsError('slower'), 429],
  ])('responds with the status of %s of the check', async (_, error, status) => {
    const { response, errors } = await request(path, { [name]: () => Promise.reject(error) })
    expect(parseResponse(response)).toEqual({ status, body: { status, message: error.message } })
    expect(errors).toEqual([])
  })
})

describe.each(probes)('createHttpHandler probes.%s with another method', (name, path) => {
  /** Sends a request to a handler without checks: the OpenAPI document describes open probes. */
  async function send(method: string, access: Access) {
    const vault = await createTestVault()
    const handler = createUncheckedHandler(vault.service, {
      authenticate: () => undefined,
      openApiDocument,
      probes: { [name]: access },
    })
    return handler(createRequest(vault, method, path))
  }

  it.each(['POST', 'OPTIONS', 'DELETE'])(
    'responds to %s as for an unknown path',
    async (method) => {
      for (const access of [false, () => false]) {
        const response = await send(method, access)
        expect(parseResponse(response)).toEqual(notFound)
        expect(response.headers).not.toHaveProperty('allow')
      }
    },
  )

  it('responds with 405 when the probe is open', async () => {
    const { status, headers } = await send('POST', () => true)
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD'])
  })
})

describe('createHttpHandler probes', () => {
  it('does not restrict operations', async () => {
    const vault = await createTestVault()
    const handler = createHttpHandler(vault.service, {
      authenticate: () => createCaller({ id: 'wendy', vaults: '*' }),
      probes: { heartbeat: false, health: false, metrics: false, openapi: false },
    })
    expect((await handler(createRequest(vault, 'GET', itemUrl(vault)))).status).toBe(200)
  })

  it('counts a rejected probe in the metrics', async () => {
    const vault = await createTestVault()
    const handler = createHttpHandler(vault.service, {
      authenticate: () => undefined,
      probes: { health: false },
    })
    await handler(createRequest(vault, 'GET', '/health'))
    const { body } = await handler(createRequest(vault, 'GET', '/metrics'))
    expect(body).toMatch(/operation="health",status="404"\} 1/)
  })
})
