/** Apps whose own middleware identifies the user, with a vault behind it, for each mount. */

import { createServer } from 'node:http'
import type { Server } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type express5 from 'express'
import type { fastify as fastify5 } from 'fastify'
import { Hono } from 'hono'
import type Koa3 from 'koa'
import { createExpressHandler, fromExpress } from '../../../src/adapters/express.js'
import { createFastifyPlugin, fromFastify } from '../../../src/adapters/fastify.js'
import { createFetchHandler, fromFetch } from '../../../src/adapters/fetch.js'
import { createHonoHandler, fromHono } from '../../../src/adapters/hono.js'
import { createKoaMiddleware, fromKoa } from '../../../src/adapters/koa.js'
import { createNodeListener, fromNode } from '../../../src/adapters/node.js'
import type { Authenticate, Authenticated, HttpHandler } from '../../../src/http.js'
import { createFetchBridge } from './fetch-bridge.js'
import { expressVersions, fastifyVersions, koaVersions } from './frameworks.js'

/** Returns the caller for the user that the app has identified. */
export type FindCaller = (user: string | undefined) => Authenticated | Promise<Authenticated>

/** A framework whose app identifies its users by the header `x-user`. */
export interface FrameworkLogin {
  readonly name: string
  /** The name of the entry point of the mount. */
  readonly mount: string
  /** Creates the option `authenticate` with the entry point's function. */
  authenticateWith(findCaller: FindCaller, options?: { challenge?: string }): Authenticate
  /** Creates a server that does not listen yet, with the vault behind the app's middleware. */
  serve(handler: HttpHandler): Server | Promise<Server>
}

/** The login of each mount. */
export const logins: readonly FrameworkLogin[] = [
  ...expressVersions.map(([name, express]) => inExpress(name, express)),
  ...koaVersions.map(([name, Koa]) => inKoa(name, Koa)),
  ...fastifyVersions.map(([name, fastify]) => inFastify(name, fastify)),
  {
    name: 'Hono 4',
    mount: 'hono',
    authenticateWith: (findCaller, options) => fromHono((c) => findCaller(c.get('user')), options),
    serve(handler) {
      const app = new Hono<{ Variables: { user: string | undefined } }>()
      app.use((c, next) => {
        c.set('user', c.req.header('x-user'))
        return next()
      })
      return createAdaptorServer(app.all('*', createHonoHandler(handler))) as Server
    },
  },
  {
    name: 'fetch',
    mount: 'fetch',
    authenticateWith: (findCaller, options) =>
      fromFetch((_: Request, user: string | undefined) => findCaller(user), options),
    serve(handler) {
      const handle = createFetchHandler(handler)
      return createServer(
        createFetchBridge((request) => handle(request, request.headers.get('x-user') ?? undefined)),
      )
    },
  },
  {
    name: 'node:http',
    mount: 'node',
    authenticateWith: (findCaller, options) =>
      fromNode((req: object) => findCaller(Reflect.get(req, 'user')), options),
    serve(handler) {
      const listener = createNodeListener(handler)
      return createServer((req, res) => {
        listener(Object.assign(req, { user: req.headersDistinct['x-user']?.[0] }), res)
      })
    },
  },
]

function inExpress(name: string, express: typeof express5): FrameworkLogin {
  return {
    name,
    mount: 'express',
    authenticateWith: (findCaller, options) =>
      fromExpress((req) => findCaller(Reflect.get(Object(req), 'user')), options),
    serve(handler) {
      const app = express()
      app.use((req, _res, next) => {
        Object.assign(req, { user: req.get('x-user') })
        next()
      })
      return createServer(app.use(createExpressHandler(handler)))
    },
  }
}

function inKoa(name: string, Koa: typeof Koa3): FrameworkLogin {
  return {
    name,
    mount: 'koa',
    authenticateWith: (findCaller, options) =>
      fromKoa(({ state }) => findCaller(state.user), options),
    serve(handler) {
      const app = new Koa()
      app.use(({ state, req }, next) => {
        Object.assign(state, { user: req.headersDistinct['x-user']?.[0] })
        return next()
      })
      return createServer(app.use(createKoaMiddleware(handler)).callback())
    },
  }
}

function inFastify(name: string, fastify: typeof fastify5): FrameworkLogin {
  return {
    name,
    mount: 'fastify',
    authenticateWith: (findCaller, options) =>
      fromFastify((request) => findCaller(Reflect.get(request, 'user')), options),
    async serve(handler) {
      const app = fastify()
      app.decorateRequest('user')
      app.addHook('onRequest', async (request) => {
        Object.assign(request, { user: request.headers['x-user'] })
      })
      app.register(createFastifyPlugin(handler))
      await app.ready()
      return app.server
    },
  }
}
