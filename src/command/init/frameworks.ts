/** The part of the settings page's server that differs by framework. */

/** A framework for which `init` has a server. */
export type Framework = 'express' | 'fastify' | 'hono' | 'node'

/** How a framework serves the page and the routes of the credentials. */
export interface FrameworkTemplate {
  /** The packages that the server imports. */
  readonly packages: readonly string[]
  readonly imports: readonly string[]
  /** True if the routes of the credentials see the whole path, and not what follows `/api`. */
  readonly seesPrefix: boolean
  /** Statements that define `server`, which listens on `port`, from `page` and `routes`. */
  readonly server: string
}

export const frameworkTemplates: Readonly<Record<Framework, FrameworkTemplate>> = {
  express: {
    packages: ['express'],
    imports: [
      "import { createExpressHandler } from 'cofferkit/express'",
      "import express from 'express'",
    ],
    seesPrefix: false,
    server: `const app = express()
app.use('/api', createExpressHandler(routes)) // before a body parser
app.get('/', (_request, response) => response.type('html').send(page))
const server = app.listen(port, '127.0.0.1', ready)`,
  },
  fastify: {
    packages: ['fastify'],
    imports: [
      "import { createFastifyPlugin } from 'cofferkit/fastify'",
      "import Fastify from 'fastify'",
    ],
    seesPrefix: false,
    server: `const server = Fastify()
server.register(createFastifyPlugin(routes), { prefix: '/api' })
server.get('/', (_request, reply) => reply.type('text/html').send(page))
await server.listen({ port, host: '127.0.0.1' })
ready()`,
  },
  hono: {
    packages: ['hono', '@hono/node-server'],
    imports: [
      "import { serve } from '@hono/node-server'",
      "import { createHonoHandler } from 'cofferkit/hono'",
      "import { Hono } from 'hono'",
    ],
    seesPrefix: false,
    server: `const app = new Hono()
app.get('/', (context) => context.html(page))
app.all('/api/*', createHonoHandler(routes))
const hostname = '127.0.0.1'
const server = serve({ fetch: app.fetch, port, hostname }, ready)`,
  },
  node: {
    packages: [],
    imports: [
      "import { createServer } from 'node:http'",
      "import { createNodeListener } from 'cofferkit/node'",
    ],
    seesPrefix: true,
    server: `const api = createNodeListener(routes)
const html = { 'content-type': 'text/html; charset=utf-8' }
const server = createServer((request, response) => {
  if (request.url === '/') response.writeHead(200, html).end(page)
  else api(request, response)
})
server.listen(port, '127.0.0.1', ready)`,
  },
}
