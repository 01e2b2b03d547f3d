/**
 * Mounts the vault in Koa 2 and 3.
 * @module cofferkit/koa
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { result } from '../base/argument.js'
import type { Authenticate, Authenticated } from '../http/authenticate.js'
import { type FrameworkLoginOptions, fromMount } from '../http/from-mount.js'
import type { HttpHandler } from '../http/message.js'
import { cleanUpDownload, handleNodeRequest } from './node/messages.js'

/** The members of Koa's context that the mount uses. */
export interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** `ip` is the address of the client, even behind trusted proxies. Body parsers set `body`. */
  readonly request: { readonly ip: string; readonly body?: unknown }
  /** Set by the middleware of the app, such as `state.user`. */
  // biome-ignore lint/suspicious/noExplicitAny: Koa's own type of it.
  readonly state?: any
  status: number
  body: unknown
  /** Sets headers of the response. */
  set(headers: Record<string, string>): void
}

/**
 * Creates a middleware for `app.use`, or for `koa-mount`, which strips the prefix. It responds to
 * every request, even behind a body parser. It sets the response on the context, so that earlier
 * middleware can see it. If `api` rejects, the middleware rejects with the error. A handler of
 * `createHttpHandler` never rejects.
 *
 * @throws TypeError if `api` is not a handler.
 *
 * @example
 * ```ts
 * import { createKoaMiddleware } from 'cofferkit/koa'
 * import Koa from 'koa'
 * import mount from 'koa-mount'
 *
 * const app = new Koa()
 * app.use(mount('/secrets', createKoaMiddleware(api))) // api: createHttpHandler(service, options)
 * ```
 */
export function createKoaMiddleware(api: HttpHandler): (context: KoaContext) => Promise<void> {
  result('createHttpHandler')(api, 'api')
  return async (context) => {
    const { req, res, request } = context
    const source = { mount: 'koa', values: [context] }
    const overrides = { remoteAddress: request.ip, parsed: request.body, source }
    const { status, headers, body: content } = await handleNodeRequest(req, res, api, overrides)
    cleanUpDownload(content, res)
    context.body = content
    context.status = status
    context.set({ ...headers })
  }
}

/**
 * Creates the option `authenticate` of `createHttpHandler` for {@link createKoaMiddleware}, from
 * your app's own login: any middleware before the mount.
 * @param authenticate - Called with Koa's context. Annotate it with your own context type if you
 * have one. Return the caller, or a falsy value if nobody is logged in (401).
 *
 * @example
 * ```ts
 * import { createCaller } from 'cofferkit'
 * import { fromKoa } from 'cofferkit/koa'
 *
 * const authenticate = fromKoa(({ state }) => state.user && createCaller({ id: state.user.id, vaults: '*' }))
 * ```
 */
export function fromKoa<Context = KoaContext>(
  authenticate: (context: Context) => Authenticated | Promise<Authenticated>,
  options?: FrameworkLoginOptions,
): Authenticate {
  return fromMount('koa', authenticate, options)
}
