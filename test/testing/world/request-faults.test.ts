import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createFetchHandler } from '../../../src/adapters/fetch.js'
import { createTestVault } from '../../support/http/checked-handlers.js'

const path = '/v1/vaults'

/** A test vault, and functions that list its vaults: with `fetch`, with a socket and with a mount. */
async function createClients() {
  const vault = await createTestVault()
  const server = await vault.listen()
  onTestFinished(() => server.close())
  const mounted = createFetchHandler(vault.handler)
  const headers = { authorization: `Bearer ${vault.tokens.full}` }
  const clients: readonly (() => Promise<Response>)[] = [
    () => vault.fetch(path, { headers }),
    () => fetch(server.origin + path, { headers }),
    () => mounted(new Request(server.origin + path, { headers })),
  ]
  return { vault, clients }
}

describe('failNext', () => {
  it.each([
    [429, 'too many requests'],
    [503, 'Service temporarily unavailable'],
  ] as const)('responds to one request with %i and Retry-After', async (status, message) => {
    const { vault, clients } = await createClients()
    for (const list of clients) {
      vault.failNext(status)
      const response = await list()
      expect([response.status, response.headers.get('retry-after')]).toEqual([status, '1'])
      expect(await response.json()).toEqual({ status, message })
      expect((await list()).status).toBe(200)
    }
  })

  it('cuts the connection of one request', async () => {
    const { vault, clients } = await createClients()
    for (const list of clients) {
      vault.failNext('drop')
      await expect(list()).rejects.toThrow('fetch failed')
      expect((await list()).status).toBe(200)
    }
  })

  it('delays the response to one request', async () => {
    const { vault, clients } = await createClients()
    const [list] = clients
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    vault.failNext({ delayMs: 60_000 })
    const statuses: unknown[] = []
    const delayed = list?.().then(({ status }) => statuses.push(['delayed', status]))
    statuses.push((await list?.())?.status)
    await vi.advanceTimersByTimeAsync(59_999)
    expect(statuses).toEqual([200])
    await vi.advanceTimersByTimeAsync(1)
    await delayed
    expect(statuses).toEqual([200, ['delayed', 200]])
  })

  it('takes several faults, each for one request in their order', async () => {
    const { vault, clients } = await createClients()
    vault.failNext(503, { delayMs: 1 }, 'drop')
    vault.failNext(429)
    const [list] = clients
    const outcomes = []
    for (let index = 0; index < 5; index++)
      outcomes.push(await list?.().then(({ status }) => status, String))
    expect(outcomes).toEqual([503, 200, 'TypeError: fetch failed', 429, 200])
  })

  it('is without effect after reset, and on a fork', async () => {
    const { vault, clients } = await createClients()
    vault.failNext(503, 503)
    const fork = await vault.fork()
    expect((await fork.fetch('/heartbeat')).status).toBe(200)
    await vault.reset()
    for (const list of clients) expect((await list()).status).toBe(200)
  })

  it('throws TypeError for anything but a fault', async () => {
    const { vault } = await createClients()
    for (const faults of [[], [500], ['429'], [null], [{}], [{ delayMs: -1 }], [429, 'cut']])
      expect(() => vault.failNext(...(faults as never[]))).toThrow(
        new TypeError("each fault must be 429, 503, 'drop' or { delayMs } of 0 or more"),
      )
    expect((await vault.fetch('/heartbeat')).status).toBe(200)
  })
})
