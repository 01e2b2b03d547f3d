import { afterEach, describe, expect, it, vi } from 'vitest'
import type { HttpHandler } from '../../src/http/message.js'
import { createVaultService, type VaultServiceOptions } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore } from '../../src/testing.js'
import { createHttpHandler } from '../support/http/checked-handlers.js'
import { encryptStore } from '../support/stores/encrypted-stores.js'
import { createRecordingStore } from '../support/stores/stores.js'

const store = createMemoryStore()

/** Returns a handler whose `authenticate` must not be called. */
function handlerOn(options: VaultServiceOptions = { store }, basePath = ''): HttpHandler {
  const authenticate = (): never => {
    throw new Error('authenticate must not be called')
  }
  return createHttpHandler(createVaultService(options), { authenticate, basePath })
}

const request = (handler: HttpHandler, url: string, method = 'GET') =>
  handler({ method, url, header: () => undefined, body: null })

const healthOf = (status: string): string =>
  JSON.stringify({ name: 'cofferkit', dependencies: [{ service: 'store', status }] })

afterEach(() => {
  vi.useRealTimers()
})

describe('handleProbe GET /heartbeat', () => {
  it('returns a full stop without a token', async () => {
    const response = await request(handlerOn(), '/heartbeat')
    expect(response).toMatchObject({
      status: 200,
      body: '.',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    })
  })

  it('does not call the store', async () => {
    const watched = createRecordingStore()
    await request(handlerOn({ store: watched }), '/heartbeat')
    expect(watched.calls).toEqual([])
  })
})

describe('handleProbe GET /health', () => {
  it.each([
    ['a memory store', store],
    ['an encrypted store', encryptStore()],
  ])('calls the store and returns ACTIVE: %s', async (_, inner) => {
    const watched = createRecordingStore(inner)
    const response = await request(handlerOn({ store: watched }), '/health')
    expect([response.status, response.body]).toEqual([200, healthOf('ACTIVE')])
    expect(response.headers).not.toHaveProperty('retry-after')
    expect(watched.calls).toEqual(['records.get'])
  })

  it('responds with 503, without the message of the store, when the store fails', async () => {
    const broken = createFaultyStore(
      store,
      () => 'fail-before',
      new Error('host db.internal is down'),
    )
    const response = await request(handlerOn({ store: broken }), '/health')
    expect([response.status, response.body]).toEqual([503, healthOf('INACTIVE')])
    expect(response.headers['retry-after']).toBe('1')
  })

  it('responds with 503 when the store does not respond within five seconds', async () => {
    vi.useFakeTimers()
    const hanging = {
      ...store,
      records: { ...store.records, get: () => new Promise<never>(() => {}) },
    }
    const settled = vi.fn()
    const response = request(handlerOn({ store: hanging }), '/health').finally(settled)
    await vi.advanceTimersByTimeAsync(4999)
    expect(settled).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect((await response).status).toBe(503)
  })

  it('responds with 200 again when the store has recovered', async () => {
    let isBroken = true
    const handler = handlerOn({
      store: createFaultyStore(store, () => (isBroken ? 'fail-before' : undefined)),
    })
    expect((await request(handler, '/health')).status).toBe(503)
    isBroken = false
    expect((await request(handler, '/health')).status).toBe(200)
  })
})

describe.each(['/heartbeat', '/health', '/metrics'])('handleProbe %s', (path) => {
  it.each([`${path}/`, `/${path}`, `${path}?a=b`])('is also found at %s', async (url) => {
    expect((await request(handlerOn(), url)).status).toBe(200)
  })

  it('is found only under the base path', async () => {
    const handler = handlerOn({ store }, '/secrets')
    expect((await request(handler, `/secrets${path}`)).status).toBe(200)
    expect((await request(handler, path)).status).toBe(404)
  })

  it('responds to HEAD without a body', async () => {
    const response = await request(handlerOn(), path, 'HEAD')
    expect([response.status, response.body]).toEqual([200, null])
    expect(Number(response.headers['content-length'])).toBeGreaterThan(0)
  })

  it('responds with 405 to other methods', async () => {
    const response = await request(handlerOn(), path, 'POST')
    expect([response.status, response.headers['allow']]).toEqual([405, 'GET, HEAD'])
  })
})
