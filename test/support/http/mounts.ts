/** Every mount on a server of its framework, as in an app that embeds the vault. */

import { createServer, type RequestListener } from 'node:http'
import type { Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { createAdaptorServer } from '@hono/node-server'
import type { ErrorRequestHandler, default as express5 } from 'express'
import type { FastifyError, fastify as fastify5 } from 'fastify'
import { Hono } from 'hono'
import type Koa3 from 'koa'
import type { Middleware } from 'koa'
import { createExpressHandler } from '../../../src/adapters/express.js'
import { createFastifyPlugin } from '../../../src/adapters/fastify.js'
import { createFetchHandler } from '../../../src/adapters/fetch.js'
import { createHonoHandler } from '../../../src/adapters/hono.js'
import { createKoaMiddleware } from '../../../src/adapters/koa.js'
import { createNodeListener } from '../../../src/adapters/node.js'
import type { HttpHandler } from '../../../src/http/message.js'
import { createFetchBridge } from './fetch-bridge.js'
import { expressVersions, fastifyVersions, koaVersions } from './frameworks.js'

/** Options of the app around the vault. */
export interface AppOptions {
  /** The prefix of the mount, such as `/secrets`; no prefix by default. */
  readonly prefix?: string
  /** True if the app has a parser of JSON bodies in front of the vault. */
  readonly parser?: boolean
  /** Called with the errors that reach the error handler of the framework. */
  readonly onError?: (error: unknown) => void
}

/** A framework with the vault mounted in it. */
export interface FrameworkUnderTest {
  readonly name: string
  /** The name of the entry point of the mount. */
  readonly mount: string
  /** True if the framework has an error handler. */
  readonly hasErrorPath: boolean
  /** The position of body parsers: in front of the vault, or beside it on other routes. */
  readonly parser: 'none' | 'in front' | 'beside'
  /** Creates a server that does not listen yet. */
  serve(handler: HttpHandler, options?: AppOptions): Server | Promise<Server>
}

/**
 * All mounts. The first two support no prefix except `basePath` of the handler; their contract
 * tests are in files of their own.
 */
export const mounts: readonly FrameworkUnderTest[] = [
  plain('node:http', 'node', createNodeListener),
  plain('fetch', 'fetch', (handler) => createFetchBridge(createFetchHandler(handler))),
  ...expressVersions.map(([name, express]) => inExpress(name, express)),
  ...koaVersions.map(([name, Koa]) => inKoa(name, Koa)),
  ...fastifyVersions.map(([name, fastify]) => inFastify(name, fastify)),
  inHono('Hono 4 on @hono/node-server', (app) => createAdaptorServer(app) as Server),
  inHono('Hono 4 through fetch', ({ fetch }) =>
    createServer(createFetchBridge(async (request) => fetch(request))),
  ),
]

function plain(
  name: string,
  mount: string,
  listenerOf: (handler: HttpHandler) => RequestListener,
): FrameworkUnderTest {
  return framework(name, mount, 'none', false, (handler) => createServer(listenerOf(handler)))
}

function inExpress(name: string, express: typeof express5): FrameworkUnderTest {
  return framework(
    name,
    'express',
    'in front',
    true,
    (handler, { prefix = '', parser, onError }) => {
      const app = express()
      // The limit of the vault. `strict: false` and `inflate: false` leave scalars and encodings to
      // it.
      if (parser) app.use(express.json({ limit: '1mb', strict: false, inflate: false }))
      app.use(prefix || '/', createExpressHandler(handler))
      const reportError: ErrorRequestHandler = (error, _req, _res, next) => {
        onError?.(error)
        next(error)
      }
      return createServer(app.use(reportError))
    },
  )
}

function inKoa(name: string, Koa: typeof Koa3): FrameworkUnderTest {
  return framework(name, 'koa', 'in front', true, (handler, { prefix = '', parser, onError }) => {
    const app = new Koa()
    if (parser) app.use(parseJson)
    app.use(mountedAt(prefix, createKoaMiddleware(handler)))
    app.on('error', (error) => onError?.(error))
    return createServer(app.callback())
  })
}

/** A parser like koa-bodyparser: it stores the parsed body in `ctx.request.body`. */
const parseJson: Middleware = async (ctx, next) => {
  if (ctx.is('json') && !ctx.get('content-encoding')) {
    try {
      Reflect.set(ctx.request, 'body', JSON.parse(await text(ctx.req)))
    } catch {
      ctx.throw(400)
    }
  }
  await next()
}

/** A mount like koa-mount: it removes the prefix from the path while the middleware runs. */
function mountedAt(prefix: string, middleware: Middleware): Middleware {
  if (prefix === '') return middleware
  return async (ctx, next) => {
    const { path } = ctx
    if (!path.startsWith(`${prefix}/`)) return next()
    ctx.path = path.slice(prefix.length)
    await middleware(ctx, next)
    ctx.path = path
  }
}

function inFastify(name: string, fastify: typeof fastify5): FrameworkUnderTest {
  return framework(
    name,
    'fastify',
    'beside',
    true,
    async (handler, { prefix = '', parser, onError }) => {
      const app = fastify()
      if (parser) {
        app.addContentTypeParser(
          'application/json',
          { parseAs: 'string' },
          (_request, body, done) => done(null, JSON.parse(String(body))),
        )
      }
      app.setErrorHandler<FastifyError>((error, _request, reply) => {
        onError?.(error)
        reply.code(error.statusCode ?? 500).send({})
      })
      app.register(createFastifyPlugin(handler), { prefix })
      await app.ready()
      return app.server
    },
  )
}

function inHono(name: string, serverOf: (app: Hono) => Server): FrameworkUnderTest {
  return framework(name, 'hono', 'in front', true, (handler, { prefix = '', parser, onError }) => {
    const app = new Hono()
    if (parser) {
      app.use(async ({ req }, next) => {
        if (req.header('content-type')?.startsWith('application/json')) await req.text()
        await next()
      })
    }
    app.onError((error, context) => {
      onError?.(error)
      return context.body(null, 500)
    })
    app.all(`${prefix}/*`, createHonoHandler(handler))
    return serverOf(app)
  })
}

function framework(
  name: string,
  mount: string,
  parser: FrameworkUnderTest['parser'],
  hasErrorPath: boolean,
  serve: (handler: HttpHandler, options: AppOptions) => Server | Promise<Server>,
): FrameworkUnderTest {
  return {
    name,
    mount,
    parser,
    hasErrorPath,
    serve: (handler, options = {}) => serve(handler, options),
  }
}
