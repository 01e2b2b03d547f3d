/** Measures a request through a relay, compared with the same one sent directly. */

import { startProcess } from './child-process.js'
import type { ApiRequests } from './relay/api-process.js'
import type { BenchOptions } from './run.js'
import { fixed, type Table } from './table.js'

const warmUp = 300

/**
 * Measures the first build. The API, the relay and the client have a process each, and requests to both
 * take turns.
 */
export async function benchRelay({ builds, rounds = 3000 }: BenchOptions): Promise<Table[]> {
  const start = () =>
    startProcess<ApiRequests>(new URL('./relay/api-process.ts', import.meta.url), [builds[0].url])
  const [api, relay] = [start(), start()]
  const apiOrigin = await api.request('startApi')
  const relayOrigin = await relay.request('startRelay', apiOrigin)
  const authorization = 'Bearer {{ op://Team/Acme/key }}'
  const send = async (url: string): Promise<number> => {
    const began = performance.now()
    const response = await fetch(url, { headers: { authorization } })
    await response.text()
    if (!response.ok) throw new Error(`${url} responded with ${response.status}`)
    return performance.now() - began
  }
  const target = `${relayOrigin}/relay/https/api.test/v1/customers`
  const times: Record<'direct' | 'relay', number[]> = { direct: [], relay: [] }
  let cpuBefore = 0
  for (let round = -warmUp; round < rounds; round++) {
    if (round === 0) cpuBefore = await relay.request('cpuUsage')
    const [direct, through] = [await send(`${apiOrigin}/v1/customers`), await send(target)]
    if (round < 0) continue
    times.direct.push(direct)
    times.relay.push(through)
  }
  const cpu = ((await relay.request('cpuUsage')) - cpuBefore) / rounds / 1000
  await Promise.all([api.stop(), relay.stop()])
  const [direct, through] = [percentiles(times.direct), percentiles(times.relay)]
  const rows = ['p50', 'p99'].map((name, index) => {
    const [one = 0, other = 0] = [direct[index], through[index]]
    return [`latency, ${name}`, fixed(one), fixed(other), fixed(other / one)]
  })
  const head = ['ms', 'direct', 'through a relay', 'ratio']
  const title = 'A request through a relay, one after the other'
  return [{ id: 'relay', title, rows: [head, ...rows, ['CPU of the relay', '', fixed(cpu), '']] }]
}

function percentiles(times: readonly number[]): readonly number[] {
  const sorted = times.toSorted((a, b) => a - b)
  return [0.5, 0.99].map((part) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0)
}
