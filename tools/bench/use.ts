/** Prints the cost of a fetch with a secret in addition to that of a plain one. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCaller, createVaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createSecretFetch } from 'cofferkit/use'
import { median } from './measure.js'

const calls = 200
const rounds = 15
const value = 'sk_live_51HqLyjWDarjtT1zdp7dcXyzabcdefghijklmnopq12'

/** A list of customers, as APIs return it. */
const customers = JSON.stringify(
  Array.from({ length: 30_000 }, (_, index) => ({
    id: `cus_${index * 7919}`,
    name: `Some customer ${index}`,
    email: `user${index}@example.com`,
    created: 1_700_000_000 + index,
  })),
)

/** Returns the CPU time of a call in microseconds. */
async function measure(count: number, call: () => Promise<unknown>): Promise<number> {
  const start = process.cpuUsage()
  for (let index = 0; index < count; index++) await call()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / count
}

const server = createServer(({ url }, response) => {
  if (url === '/events') {
    response.write('data: 1\n\n')
    setTimeout(() => response.end('data: 2\n\n'), 500)
  } else response.end(url === '/large' ? customers : 'ok')
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const service = createVaultService({ store: createMemoryStore() })
const caller = createCaller('agent', '*')
const { id: vaultId } = await service.createVault(caller, { name: 'Team' })
const fields = [{ id: 'key', value }]
const item = { category: 'API_CREDENTIAL', urls: [{ href: origin }], fields } as const
const { id: itemId } = await service.createItem(caller, { vaultId, item })
const secretFetch = createSecretFetch(service, caller, { allowLoopbackHttp: true })

const headers = { authorization: `Bearer {{ op://${vaultId}/${itemId}/key }}` }
const plainHeaders = { authorization: `Bearer ${value}` }
const fetchers = {
  plain: (path: string) => fetch(origin + path, { headers: plainHeaders }),
  secret: (path: string) => secretFetch(origin + path, { headers }),
}

/** Returns the median of what the secret adds to a call, in microseconds. */
async function measureDifference(path: string, count: number): Promise<number> {
  const differences: number[] = []
  for (let round = 0; round < rounds; round++) {
    const [plain = 0, secret = 0] = [
      await measure(count, async () => (await fetchers.plain(path)).arrayBuffer()),
      await measure(count, async () => (await fetchers.secret(path)).arrayBuffer()),
    ]
    differences.push(secret - plain)
  }
  return median(differences)
}

/** Returns the median time until the first event is received, in milliseconds. */
async function measureFirstEvent(call: (path: string) => Promise<Response>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    const reader = (await call('/events')).body?.getReader()
    await reader?.read()
    times.push(performance.now() - start)
    await reader?.cancel()
  }
  return median(times)
}

const perCall = await measureDifference('/', calls)
const perLargeCall = await measureDifference('/large', 2)
const megabytes = customers.length / 1e6
const first = [
  await measureFirstEvent(fetchers.plain),
  await measureFirstEvent(fetchers.secret),
] as const
console.log(`per call: ${perCall.toFixed(0)} µs of CPU`)
console.log(`per MB of body: ${((perLargeCall - perCall) / megabytes / 1000).toFixed(1)} ms of CPU`)
console.log(`first event: ${first.map((time) => time.toFixed(1)).join(' ms plain, ')} ms`)
server.closeAllConnections()
server.close()
