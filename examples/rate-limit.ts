/** Limits the requests of each caller with rate-limiter-flexible: writes cost more than reads. */

import { createServer } from 'node:http'
import { createCaller, createVaultService, TooManyRequestsError } from 'cofferkit'
import { createHttpHandler, type OperationCall, routes } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createNodeListener } from 'cofferkit/node'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

const limiter = new RateLimiterMemory({ points: 10, duration: 60 })
const reading = new Set(
  routes.filter(({ method }) => method === 'GET').map((route) => route.operation),
)

async function beforeOperation({ operation, caller }: OperationCall): Promise<void> {
  try {
    await limiter.consume(caller.id, reading.has(operation) ? 1 : 5)
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection
    const headers = { 'retry-after': String(Math.ceil(rejection.msBeforeNext / 1000)) }
    throw new TooManyRequestsError('too many requests', { headers })
  }
}

const caller = createCaller('wendy', '*')
const service = createVaultService({ store: createMemoryStore(), strict: true })
const { id: vaultId } = await service.createVault(caller, { name: 'Home' })
const api = createHttpHandler(service, { authenticate: () => caller, beforeOperation })
const server = createServer(createNodeListener(api))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

const statuses: number[] = []
let retryAfter: string | null = null
for (let count = 0; count < 12; count++) {
  const response = await fetch(`${origin}/v1/vaults/${vaultId}`)
  statuses.push(response.status)
  retryAfter = response.headers.get('retry-after')
}
console.log(`allowed: ${statuses.filter((status) => status === 200).length}`)
console.log(
  `rejected: ${statuses.filter((status) => status === 429).length}, retry after ${retryAfter} s`,
)
server.close()
