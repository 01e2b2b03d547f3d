import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/http/metrics.js'
import { createCaller, createVaultService } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore, type TestVault } from '../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../support/bytes.js'
import { createHttpHandler, createTestVault } from '../support/http/checked-handlers.js'
import { parseMetrics, type Sample } from '../support/http/prometheus.js'
import { createRequest, itemUrl, vaultUrl } from '../support/http/requests.js'

const none = { writeConflicts: 0, storeErrors: 0 }
const duration = 'cofferkit_request_duration_seconds'

/** Returns the metrics of a vault. */
async function metricsOf(vault: Pick<TestVault, 'handler' | 'tokens'>) {
  const { body } = await vault.handler(createRequest(vault, 'GET', '/metrics'))
  return parseMetrics(String(body))
}

function samplesOf(
  families: ReturnType<typeof parseMetrics>,
  name: string,
): Readonly<Record<string, number>> {
  const samples: readonly Sample[] = families[name]?.samples ?? []
  return Object.fromEntries(
    samples.map(({ labels, value }) => [Object.values(labels).join(' '), value]),
  )
}

describe('createMetrics', () => {
  it('formats every metric with its type when nothing is counted', () => {
    const families = parseMetrics(createMetrics().format(none))
    expect(Object.entries(families).map(([name, { type }]) => [name, type])).toEqual([
      ['cofferkit_requests_total', 'counter'],
      [duration, 'histogram'],
      ['cofferkit_requests_in_flight', 'gauge'],
      ['cofferkit_write_conflicts_total', 'counter'],
      ['cofferkit_store_errors_total', 'counter'],
    ])
    expect(families['cofferkit_requests_total']?.samples).toEqual([])
  })

  it('counts requests by operation and status', () => {
    const metrics = createMetrics()
    for (const [operation, status] of [
      ['getItem', 200],
      ['getItem', 404],
      ['none', 404],
      ['getItem', 200],
    ] as const)
      metrics.count(operation, status, 0)
    const families = parseMetrics(metrics.format({ writeConflicts: 3, storeErrors: 4 }))
    expect(samplesOf(families, 'cofferkit_requests_total')).toEqual({
      'getItem 200': 2,
      'getItem 404': 1,
      'none 404': 1,
    })
    expect(families['cofferkit_write_conflicts_total']?.samples[0]?.value).toBe(3)
    expect(families['cofferkit_store_errors_total']?.samples[0]?.value).toBe(4)
  })

  it('counts the requests that have begun and not ended', () => {
    const metrics = createMetrics()
    const inFlight = () =>
      parseMetrics(metrics.format(none))['cofferkit_requests_in_flight']?.samples[0]?.value
    expect(inFlight()).toBe(0)
    metrics.begin()
    metrics.begin()
    expect(inFlight()).toBe(2)
    metrics.count('getItem', 200, 0)
    expect(inFlight()).toBe(1)
  })

  it('counts each duration in every bucket whose bound it does not exceed', () => {
    const metrics = createMetrics()
    for (const seconds of [0, 0.001, 0.0011, 0.3, 10, 11]) metrics.count('getItem', 200, seconds)
    const { samples = [] } = parseMetrics(metrics.format(none))[duration] ?? {}
    const buckets = samples.filter(({ name }) => name === `${duration}_bucket`)
    expect(buckets.map(({ labels, value }) => [labels['le'], value])).toEqual([
      ['0.001', 2],
      ['0.0025', 3],
      ['0.005', 3],
      ['0.01', 3],
      ['0.025', 3],
      ['0.05', 3],
      ['0.1', 3],
      ['0.25', 3],
      ['0.5', 4],
      ['1', 4],
      ['2.5', 4],
      ['5', 4],
      ['10', 5],
      ['+Inf', 6],
    ])
    const [sum, count] = samples.slice(-2)
    expect([sum?.name, count?.name]).toEqual([`${duration}_sum`, `${duration}_count`])
    expect(sum?.value).toBeCloseTo(21.3021)
    expect(count?.value).toBe(6)
  })

  it('formats very small and very large sums as valid numbers', () => {
    const metrics = createMetrics()
    metrics.count('getItem', 200, 1e-9)
    metrics.count('getVault', 200, 1e22)
    expect(() => parseMetrics(metrics.format(none))).not.toThrow()
  })
})

describe('GET /metrics', () => {
  it('returns the counted responses in the text format without a token', async () => {
    const vault = await createTestVault()
    const request = (method: string, url: string, headers = {}) =>
      vault.handler(createRequest(vault, method, url, { headers }))
    await request('GET', itemUrl(vault))
    await request('HEAD', itemUrl(vault))
    await request('GET', itemUrl(vault), { authorization: undefined })
    await request('DELETE', vaultUrl(vault))
    await request('GET', '/heartbeat')
    const response = await request('GET', '/metrics', { authorization: undefined })
    expect([response.status, response.headers['content-type']]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    const families = parseMetrics(String(response.body))
    expect(samplesOf(families, 'cofferkit_requests_total')).toEqual({
      'getItem 200': 2,
      'getItem 401': 1,
      'none 405': 1,
      'heartbeat 200': 1,
    })
    const stats = families[duration]?.samples.filter(({ name }) => name.endsWith('_count'))
    expect(stats?.map(({ value }) => value)).toEqual([3, 1, 1])
  })

  it('counts errors of the store, and not those of a client', async () => {
    let isBroken = false
    const store = createFaultyStore(createMemoryStore(), () =>
      isBroken ? 'fail-before' : undefined,
    )
    const vault = await createTestVault({ store }, { extensions: true })
    const body = streamOf([utf8('half')], new Error('the client is gone'))
    const upload = createRequest(vault, 'POST', itemUrl(vault, '/files?name=a'), { body })
    expect((await vault.handler(upload)).status).toBe(400)
    await vault.handler(createRequest(vault, 'GET', vaultUrl(vault, '/items/x')))
    expect(samplesOf(await metricsOf(vault), 'cofferkit_store_errors_total')).toEqual({ '': 0 })
    isBroken = true
    expect((await vault.handler(createRequest(vault, 'GET', itemUrl(vault)))).status).toBe(500)
    expect((await vault.handler(createRequest(vault, 'GET', '/health'))).status).toBe(503)
    expect(samplesOf(await metricsOf(vault), 'cofferkit_store_errors_total')).toEqual({ '': 2 })
  })

  it('counts write conflicts', async () => {
    let conflicts = 0
    const store = createFaultyStore(createMemoryStore(), ({ method }) =>
      method === 'put' && conflicts-- > 0 ? 'conflict' : undefined,
    )
    const vault = await createTestVault({ store })
    conflicts = 2
    const body = { parsed: [{ op: 'add', path: '/title', value: 'x' }] }
    await vault.handler(createRequest(vault, 'PATCH', itemUrl(vault), { body }))
    expect(samplesOf(await metricsOf(vault), 'cofferkit_write_conflicts_total')).toEqual({ '': 2 })
  })

  it('returns no id and no value of any request', async () => {
    const marker = `mark${randomBytes(8).toString('hex')}`
    const vault = await createTestVault()
    const service = createVaultService({ store: vault.store })
    const handler = createHttpHandler(service, {
      authenticate: () => createCaller({ id: marker, vaults: '*' }),
    })
    const { id } = await service.createItem(vault.caller, {
      vaultId: vault.vaultId,
      item: { category: 'LOGIN', vault: { id: vault.vaultId }, title: marker },
    })
    for (const [method, url] of [
      ['GET', vaultUrl(vault, `/items/${id}`)],
      ['GET', vaultUrl(vault, `/items?filter=title eq "${marker}"`)],
      ['GET', `/v1/${marker}`],
      [marker, vaultUrl(vault)],
      ['GET', vaultUrl(vault, `/items/${marker}`)],
    ] as const)
      await handler(createRequest(vault, method, url))
    const { body } = await handler(createRequest(vault, 'GET', '/metrics'))
    for (const word of [marker, vault.vaultId, id]) expect(body).not.toContain(word)
  })

  it('counts a download before its content is read', async () => {
    const vault = await createTestVault()
    const content = await vault.handler(createRequest(vault, 'GET', vault.smallFile.content_path))
    const families = await metricsOf(vault)
    expect(samplesOf(families, 'cofferkit_requests_total')).toEqual({ 'readFileContent 200': 1 })
    expect(await readBytes(content.body as ReadableStream<Uint8Array>)).toEqual(utf8('hello'))
  })
})
