/** Mounts a vault in a Koa app whose logger also logs the vault's responses. */

import { createServer } from 'node:http'
import { createCaller, createVaultService } from 'cofferkit'
import { createHttpHandler } from 'cofferkit/http'
import { createKoaMiddleware } from 'cofferkit/koa'
import { createMemoryStore } from 'cofferkit/memory'
import Koa from 'koa'

const service = createVaultService({ store: createMemoryStore(), strict: true })
const wendy = createCaller({ id: 'wendy', vaults: '*' })
const { id } = await service.createVault(wendy, { name: 'Team' })
const api = createHttpHandler(service, {
  authenticate: () => wendy,
  basePath: '/secrets',
})
const vault = createKoaMiddleware(api)

const app = new Koa()
app.use(async (context, next) => {
  await next()
  console.log(context.method, context.path.replace(id, '…'), context.status)
})
app.use((context, next) =>
  context.path.startsWith('/secrets/') ? vault(context) : next(),
)
app.use((context) => {
  context.body = 'the app'
})

const server = createServer(app.callback())
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const address = server.address()
const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
console.log(await (await fetch(origin)).text())
const { name } = await (await fetch(`${origin}/secrets/v1/vaults/${id}`)).json()
console.log(name)
server.close()
