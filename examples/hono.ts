/** Mounts a vault in a Hono app, which runs unchanged in Node, Bun, Deno and workers. */

import { stripVTControlCharacters } from 'node:util'
import { createCaller, createVaultService } from 'cofferkit'
import { createHonoHandler } from 'cofferkit/hono'
import { createHttpHandler } from 'cofferkit/http'
import { createMemoryStore } from 'cofferkit/memory'
import { Hono } from 'hono'
import { logger } from 'hono/logger'

const service = createVaultService({ store: createMemoryStore(), strict: true })
const wendy = createCaller({ id: 'wendy', vaults: '*' })
const vault = await service.createVault(wendy, { name: 'Team' })
const api = createHttpHandler(service, { authenticate: () => wendy })

const app = new Hono()
const print = (line: string): void =>
  console.log(
    stripVTControlCharacters(line)
      .replace(vault.id, '…')
      .replace(/ \d+ms$/, ''),
  )
app.use(logger(print))
app.get('/', (context) => context.text('the app'))
app.all('/secrets/*', createHonoHandler(api))

console.log(await (await app.request('/')).text())
const response = await app.request(`/secrets/v1/vaults/${vault.id}`)
console.log((await response.json()).name)
