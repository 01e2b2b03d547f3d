import { describe, expect, it } from 'vitest'
import { withProcessMetrics } from '../../../src/command/serve/process-metrics.js'
import { createVaultService } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createHttpHandler } from '../../support/http/checked-handlers.js'

const sources = {
  version: '1.2.3',
  store: 'memory',
  pool: undefined,
  keyCalls: { counts: {}, seconds: {} },
  tokens: () => 2,
  connections: async () => 3,
}

/** Returns the response of a server with the metrics of its process. */
function request(method: string, url: string) {
  const service = createVaultService({ store: createMemoryStore() })
  const api = createHttpHandler(service, {
    authenticate: () => undefined,
    probes: { metrics: true },
  })
  return withProcessMetrics(api, sources)({ method, url, header: () => undefined, body: null })
}

describe('withProcessMetrics', () => {
  it('adds the metrics of the process when GET asks for metrics', async () => {
    const { body } = await request('GET', '/metrics')
    expect(body).toContain('\ncofferkit_tokens 2\n')
    expect(body).toContain('\ncofferkit_connections 3\n')
    expect((await request('GET', '/heartbeat')).body).toBe('.')
  })

  it('counts what it adds in the length when HEAD asks for metrics', async () => {
    const { headers, body } = await request('HEAD', '/metrics')
    expect(body).toBeNull()
    const { length } = String((await request('GET', '/metrics')).body)
    // The numbers of the process change between the two requests, and so may their digits.
    expect(Math.abs(Number(headers['content-length']) - length)).toBeLessThan(100)
    expect((await request('HEAD', '/heartbeat')).headers['content-length']).toBe('1')
  })
})
