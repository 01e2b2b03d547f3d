import { afterEach, describe, expect, it, vi } from 'vitest'
import type { HttpHandler } from '../../src/http/message.js'
import { createVaultService, type VaultServiceOptions } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore } from '../../src/testing.js'
import { createHttpHandler } from '../support/http/checked-handlers.js'
import { encrypted } from '../support/stores/encrypted-stores.js'
import { recordingStore } from '../support/stores/stores.js'

const store = createMemoryStore()

/** A handler that lets nobody in. */
function handlerOn(options: VaultServiceOptions = { store }, basePath = ''): HttpHandler {
  const authenticate = (): never => {
    throw new Error('nobody should be asked for')
  }
  return createHttpHandler(createVaultService(options), { authenticate, basePath })
}

const ask = (handler: HttpHandler, url: string, method = 'GET') =>
  handler({ method, url, header: () => undefined, body: null })

const wellness = (status: string): string =>
  JSON.stringify({ name: 'cofferkit', dependencies: [{ service: 'store', status }] })

afterEach(() => {
  vi.useRealTimers()
})

describe('GET /heartbeat', () => {
  it('answers a full stop to whoever asks', async () => {
    const response = await ask(handlerOn(), '/heartbeat')
    expect(response).toMatchObject({
      status: 200,
      body: '.',
      headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    })
  })

  it('asks no store', async () => {
    const watched = recordingStore()
    await ask(handlerOn({ store: watched }), '/heartbeat')
    expect(watched.calls).toEqual([])
  })
})

describe('GET /health', () => {
  it.each([
    ['a memory store', store],
    ['an encrypted one', encrypted()],
  ])('asks the store, and says that it is well: %s', async (_, inner) => {
    const watched = recordingStore(inner)
    const response = await ask(handlerOn({ store: watched }), '/health')
    expect([response.status, response.body]).toEqual([200, wellness('ACTIVE')])
    expect(response.headers).not.toHaveProperty('retry-after')
    expect(watched.calls).toEqual(['records.get'])
  })

  it('is 503 when the store fails, in the same form and without the words of the store', async () => {
    const broken = createFaultyStore(
      store,
      () => 'fail-before',
      new Error('host db.internal is down'),
    )
    const response = await ask(handlerOn({ store: broken }), '/health')
    expect([response.status, response.body]).toEqual([503, wellness('INACTIVE')])
    expect(response.headers['retry-after']).toBe('1')
  })

  it('is 503 when the store has not answered within five seconds', async () => {
    vi.useFakeTimers()
    const hanging = {
      ...store,
      records: { ...store.records, get: () => new Promise<never>(() => {}) },
    }
    const answered = vi.fn()
    const response = ask(handlerOn({ store: hanging }), '/health').finally(answered)
    await vi.advanceTimersByTimeAsync(4999)
    expect(answered).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect((await response).status).toBe(503)
  })

  it('is well again as soon as the store is', async () => {
    let isBroken = true
    const handler = handlerOn({
      store: createFaultyStore(store, () => (isBroken ? 'fail-before' : undefined)),
    })
    expect((await ask(handler, '/health')).status).toBe(503)
    isBroken = false
    expect((await ask(handler, '/health')).status).toBe(200)
  })
})

describe.each(['/heartbeat', '/health', '/metrics'])('%s', (path) => {
  it.each([`${path}/`, `/${path}`, `${path}?a=b`])('is also found as %s', async (url) => {
    expect((await ask(handlerOn(), url)).status).toBe(200)
  })

  it('stands under the base path, and there only', async () => {
    const handler = handlerOn({ store }, '/secrets')
    expect((await ask(handler, `/secrets${path}`)).status).toBe(200)
    expect((await ask(handler, path)).status).toBe(404)
  })

  it('answers HEAD without a body', async () => {
    const response = await ask(handlerOn(), path, 'HEAD')
    expect([response.status, response.body]).toEqual([200, null])
    expect(Number(response.headers['content-length'])).toBeGreaterThan(0)
  })

  it('allows nothing else', async () => {
    const response = await ask(handlerOn(), path, 'POST')
    expect([response.status, response.headers['allow']]).toEqual([405, 'GET, HEAD'])
  })
})
