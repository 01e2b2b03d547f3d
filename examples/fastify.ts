/** Mounts a vault in a Fastify app, and calls it without a socket. */

import { createCaller, createVaultService } from 'cofferkit'
import { createFastifyPlugin } from 'cofferkit/fastify'
import { createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { fastify } from 'fastify'

const service = createVaultService({ store: createMemoryStore(), strict: true })
const wendy = createCaller({ id: 'wendy', vaults: '*' })
const vault = await service.createVault(wendy, { name: 'Team' })
const api = createHttpHandler(service, { authenticate: () => wendy })

const app = fastify()
app.addHook('onRequest', async (_request, reply) => {
  reply.header('strict-transport-security', 'max-age=31536000')
})
app.register(createFastifyPlugin(api), { prefix: '/secrets' })

const created = await app.inject({
  method: 'POST',
  url: `/secrets/v1/vaults/${vault.id}/items`,
  payload: {
    category: 'SECURE_NOTE',
    vault: { id: vault.id },
    title: 'Door code',
  },
})
console.log(
  created.statusCode,
  created.json().title,
  created.headers['strict-transport-security'],
)
await app.close()
