import { createCaller, createVaultService } from 'cofferkit'
import { createFetchHandler } from 'cofferkit/fetch'
import { createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'

const caller = createCaller('wendy', '*') // every request comes from wendy, who has all permissions
const service = createVaultService({ store: createMemoryStore(), strict: true })
const vault = await service.createVault(caller, { name: 'Home' })
const handle = createFetchHandler(createHttpHandler(service, { authenticate: () => caller }))

const item = { category: 'LOGIN', vault, fields: [{ id: 'password', generate: true }] }
const headers = { 'content-type': 'application/json' }
const post = { method: 'POST', headers, body: JSON.stringify(item) }
const response = await handle(new Request(`http://localhost/v1/vaults/${vault.id}/items`, post))
console.log(response.status, await response.json())
