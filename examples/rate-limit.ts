/** Limits the requests of each caller with rate-limiter-flexible: writes cost more than reads. */

import { createServer } from 'node:http'
import {
  type AroundCall,
  createCaller,
  createVaultService,
  TooManyRequestsError,
} from 'cofferkit'
import { createHttpHandler, routes } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createNodeListener } from 'cofferkit/node'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

const limiter = new RateLimiterMemory({ points: 10, duration: 60 })
const reading = new Set<string>(
  routes
    .filter(({ method }) => method === 'GET')
    .map((route) => route.operation),
)

async function around(
  { operation, caller, client }: AroundCall,
  next: () => Promise<void>,
): Promise<void> {
  // The calls of this process have no client.
  if (client !== undefined) await limit(operation, caller.id)
  await next()
}

async function limit(operation: string, callerId: string): Promise<void> {
  try {
    await limiter.consume(callerId, reading.has(operation) ? 1 : 5)
  } catch (rejection) {
    if (!(rejection instanceof RateLimiterRes)) throw rejection
    throw new TooManyRequestsError('too many requests', {
      retryAfterSeconds: rejection.msBeforeNext / 1000,
    })
  }
}

const caller = createCaller({ id: 'wendy', vaults: '*' })
const service = createVaultService({
  store: createMemoryStore(),
  strict: true,
  around,
})
const { id: vaultId } = await service.createVault(caller, { name: 'Home' })
const api = createHttpHandler(service, { authenticate: () => caller })
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
