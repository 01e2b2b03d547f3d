/** An agent that may use one credential: for GET, at one host, for an hour, if a person approves. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Caller,
  createCaller,
  createVaultService,
  type VaultService,
} from 'cofferkit'
import { createMemoryActivityLog } from 'cofferkit/activity'
import { createCredentials } from 'cofferkit/credentials'
import { createMemoryStore } from 'cofferkit/memory'
import {
  createSecretFetch,
  isRefusal,
  type SecretUse,
  vaultSecrets,
} from 'cofferkit/use'

const hourMs = 3_600_000
let now = new Date('2026-11-26T09:00:00Z')

// The API of a provider. It sends back the key that it receives.
const api = createServer(({ headers }, response) =>
  response.end(headers.authorization),
)
await once(api.listen(0, '127.0.0.1'), 'listening')
const origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`

// The vault of a customer, who has saved the key of their account at the provider.
const service = createVaultService({
  store: createMemoryStore(),
  activity: createMemoryActivityLog(),
  now: () => now,
})
const customer = createCaller({ id: 'customer', vaults: '*' })
const { id: vaultId } = await service.createVault(customer, { name: 'Acme' })
const credentials = createCredentials(service, {
  billing: { fields: { key: {} }, origins: [origin] },
}).of(customer, vaultId)
const { itemId } = await credentials.save('billing', {
  key: 'bk_live_correct_horse',
})
const reference = await credentials.reference('billing', 'key')

// This object is everything that the agent may do.
const agent = createCaller({
  id: 'agent-7',
  vaults: { [vaultId]: 'use' },
  expiresAt: new Date(now.getTime() + hourMs),
  use: [
    {
      items: [itemId],
      origins: [origin],
      methods: ['GET'],
      places: ['header:authorization'],
    },
  ],
})

/** Asks a person. In a service of yours: a row that they answer on a page, or a message to them. */
async function isApproved({ method, url }: SecretUse): Promise<boolean> {
  console.log('asked:', method, url.pathname)
  return url.pathname === '/invoices'
}
const secretFetch = createSecretFetch(vaultSecrets(service, agent), {
  allow: isApproved,
  allowLoopbackHttp: true, // because this API has no certificate
})

/** Sends a request of the agent, which has the reference, and not the key. */
async function send(method: string, path: string): Promise<string> {
  const headers = { authorization: `Bearer {{ ${reference} }}` }
  const response = await secretFetch(`${origin}${path}`, { method, headers })
  const text = await response.text()
  return isRefusal(response) ? JSON.parse(text).message : text
}

console.log(await send('GET', '/invoices'))
console.log(await send('GET', '/customers'))
console.log(await send('DELETE', '/invoices'))
now = new Date(now.getTime() + hourMs)
console.log(await send('GET', '/invoices'))

/** Returns who used a value of the item yesterday, and how often. */
async function usersOfYesterday(
  service: VaultService,
  caller: Caller,
): Promise<object> {
  const today = now.toISOString().slice(0, 10)
  const yesterday = new Date(Date.parse(today) - 24 * hourMs).toISOString()
  const users: Record<string, number> = {}
  const times = { since: yesterday, until: `${today}T00:00:00Z` }
  let after: string | undefined
  do {
    const filters = {
      vaultId,
      itemId,
      operation: 'useField',
      result: 'SUCCESS',
    } as const
    const { entries, next } = await service.listActivity(caller, {
      ...filters,
      ...times,
      after,
    })
    for (const { actor } of entries)
      users[actor.id] = (users[actor.id] ?? 0) + 1
    after = next
  } while (after !== undefined)
  return users
}

now = new Date('2026-11-27T09:00:00Z')
console.log('yesterday:', await usersOfYesterday(service, customer))
api.close()
