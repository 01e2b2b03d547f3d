/**
 * Prints the cost of a fetch with a secret in addition to that of a plain one, what masking a body
 * costs, and how many bytes are held back.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createCaller, createVaultService } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import { createRedactor, createSecretFetch } from 'cofferkit/use'
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

/** Returns a text of about one megabyte. */
const repeat = (text: string): Uint8Array =>
  new TextEncoder().encode(text.repeat(Math.ceil(1e6 / text.length)))
const bodies = {
  usual: new TextEncoder().encode(customers.slice(0, 1e6)),
  base64: repeat(btoa('The quick brown fox jumps over the lazy dog.')),
  escapes: repeat('%5c\\u005c&#92;\\\\'),
}

/** A stream in chunks of 64 KiB, as from a socket. */
function toChunks(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let start = 0
  return new ReadableStream({
    pull(controller) {
      if (start >= bytes.length) controller.close()
      else controller.enqueue(bytes.slice(start, start + 65_536))
      start += 65_536
    },
  })
}

/** Returns letters and digits, the same ones in every run. */
const valueOf = (length: number): string =>
  Array.from({ length }, (_, index) =>
    ((Math.imul(index, 0x9e3779b1) >>> 9) % 36).toString(36),
  ).join('')

/** Returns the least CPU time per megabyte in milliseconds. */
async function measureBody(
  bytes: Uint8Array,
  change: (body: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>,
): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const cost = await measure(1, () => new Response(change(toChunks(bytes))).arrayBuffer())
    least = Math.min(least, cost / 1000)
  }
  return (least * 1e6) / bytes.length
}

const pass = (body: ReadableStream<Uint8Array>) => body.pipeThrough(new TransformStream())
for (const length of [40, 4000]) {
  const redactor = createRedactor([valueOf(length)])
  for (const [name, bytes] of Object.entries(bodies)) {
    const plain = await measureBody(bytes, pass)
    const masked = await measureBody(bytes, (body) => body.pipeThrough(redactor.stream()))
    const control = await measureBody(bytes, pass)
    const ratios = [masked, control].map((cost) => (cost / plain).toFixed(1)).join(', control ')
    console.log(
      `value of ${length}, ${name} body: ${masked.toFixed(1)} ms of CPU per MB, ÷ plain ${ratios}`,
    )
  }
}
for (const length of [40, 2000, 4000]) {
  const { readable, writable } = createRedactor([valueOf(length)]).stream()
  void writable.getWriter().write(new Uint8Array(20_000).fill(0x2e))
  const { value: delivered } = await readable.getReader().read()
  console.log(`value of ${length}: ${20_000 - (delivered?.length ?? 0)} bytes are held back`)
}
const folder = join(import.meta.dirname, '../../src/use')
const lines = readdirSync(folder).map((name) =>
  readFileSync(join(folder, name), 'utf8').split('\n'),
)
console.log(`src/use: ${lines.reduce((sum, { length }) => sum + length - 1, 0)} lines`)
