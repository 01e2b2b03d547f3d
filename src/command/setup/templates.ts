/** The services that `init` writes. */

/** A framework of which `init` has a service. */
export type Framework = 'express' | 'fastify' | 'hono' | 'node'

/** The frameworks, and the packages that their services import. */
export const frameworkPackages: Readonly<Record<Framework, readonly string[]>> = {
  express: ['express'],
  fastify: ['fastify'],
  hono: ['hono', '@hono/node-server'],
  node: [],
}

const imports: Readonly<Record<Framework, readonly string[]>> = {
  express: [
    "import { createExpressHandler } from 'cofferkit/express'",
    "import express from 'express'",
  ],
  fastify: [
    "import { createFastifyPlugin } from 'cofferkit/fastify'",
    "import Fastify from 'fastify'",
  ],
  hono: [
    "import { serve } from '@hono/node-server'",
    "import { createHonoHandler } from 'cofferkit/hono'",
    "import { Hono } from 'hono'",
  ],
  node: [
    "import { createServer } from 'node:http'",
    "import { createNodeListener } from 'cofferkit/node'",
  ],
}

const servers: Readonly<Record<Framework, string>> = {
  express: `const app = express()
// Before a body parser of the app. With a prefix: app.use('/secrets', …)
app.use(createExpressHandler(handler))
const server = app.listen(port, '127.0.0.1', ready)
const stop = () => new Promise((resolve) => server.close(resolve))`,
  fastify: `const app = Fastify()
// With a prefix: app.register(…, { prefix: '/secrets' })
app.register(createFastifyPlugin(handler))
await app.listen({ port, host: '127.0.0.1' })
ready()
const stop = () => app.close()`,
  hono: `const app = new Hono()
// With a prefix: app.all('/secrets/*', …) and basePath: '/secrets' of createHttpHandler
app.all('/*', createHonoHandler(handler))
const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1' }, ready)
const stop = () => new Promise((resolve) => server.close(resolve))`,
  node: `const server = createServer(createNodeListener(handler))
server.listen(port, '127.0.0.1', ready)
const stop = () => new Promise((resolve) => server.close(resolve))`,
}

/** Returns the text of the service of a framework: a module that Node runs without a build. */
export function formatService(framework: Framework): string {
  return `// A secrets vault for 1Password Connect clients. Run it: TOKEN=… node vault.mjs
import { createCaller, createVaultService } from 'cofferkit'
import { connectDialect } from 'cofferkit/connect'
import { bearerAuth, createHttpHandler } from 'cofferkit/http'
import { openSqliteStore } from 'cofferkit/sqlite'
import { createTokenAuthenticator, hashToken } from 'cofferkit/tokens'
${imports[framework].join('\n')}

const { TOKEN: token = '', PORT = '8080' } = process.env
if (token.length < 20) throw new Error('set TOKEN to 20 or more characters: npx cofferkit token')
const port = Number(PORT)

// Encrypt it with createEncryptedStore of cofferkit/encrypted, or use your own database.
const store = await openSqliteStore('vault.db')
const service = createVaultService({ store, dialect: connectDialect })

const admin = createCaller('admin', '*')
const [first] = await service.listVaults(admin, {})
const vault = first ?? (await service.createVault(admin, { name: 'Default' }))

// One token, for one vault. Your own login goes here: see docs/authentication.md of cofferkit.
const tokens = [
  { id: 'deploy', sha256: await hashToken(token), vaults: { [vault.id]: 'read-write' } },
]
const handler = createHttpHandler(service, {
  authenticate: bearerAuth(createTokenAuthenticator({ tokens })),
})

const ready = () => console.log(\`http://127.0.0.1:\${port}/v1/vaults/\${vault.id}/items\`)
${servers[framework]}

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, async () => {
    await stop()
    await service.close()
    await store.close()
  })
`
}
