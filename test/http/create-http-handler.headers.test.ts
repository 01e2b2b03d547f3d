import { describe, expect, it } from 'vitest'
import { createHttpHandler } from '../../src/http.js'
import {
  ConflictError,
  createCaller,
  ForbiddenError,
  TooManyRequestsError,
} from '../../src/index.js'
import { createTestVault } from '../../src/testing.js'
import { createRequest, itemUrl } from '../support/http/requests.js'

const authenticate = (): ReturnType<typeof createCaller> => createCaller({ id: 'me', vaults: '*' })

/** The OpenAPI document does not describe the headers of these responses. */
describe('createHttpHandler with the errors of around', () => {
  it.each([
    [new ForbiddenError('your plan allows 3 vaults'), 403, undefined],
    [new TooManyRequestsError('slow down', { retryAfterSeconds: 60 }), 429, '60'],
    [new ConflictError('the import is running', { retryAfterSeconds: 5 }), 409, '5'],
    [new ForbiddenError('no', { headers: { 'X-Plan': 'free' } }), 403, undefined],
  ])('sends the message and the headers of an error of around: %s', async (error, status, wait) => {
    const vault = await createTestVault({
      around: (call, next) => (call.client ? Promise.reject(error) : next()),
    })
    const handler = createHttpHandler(vault.service, { authenticate })
    const { body, ...response } = await handler(createRequest(vault, 'GET', itemUrl(vault)))
    expect([response.status, body]).toEqual([status, JSON.stringify(error)])
    expect(response.headers['retry-after']).toBe(wait)
    expect(response.headers['x-plan']).toBe(error.headers?.['X-Plan'])
  })
})
