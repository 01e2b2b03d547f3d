/**
 * Mounts the vault in Koa 2 and 3.
 * @module cofferkit/koa
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { assertResult } from '../assert-argument.js'
import type { HttpHandler } from '../http/message.js'
import { cleanUpDownload, handleNodeRequest, toHttpBody } from './node/messages.js'

/** The members of Koa's context that the mount uses. */
export interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** `ip` is the address of the client, also behind trusted proxies. Body parsers set `body`. */
  readonly request: { readonly ip: string; readonly body?: unknown }
  status: number
  body: unknown
  /** Sets headers of the response. */
  set(headers: Record<string, string>): void
}

/**
 * Creates a middleware for `app.use`, or for `koa-mount`, which strips the prefix. It responds to
 * every request, also behind a body parser. It sets the response on the context, so that middleware
 * before it has access to the response. If `api` rejects, which a handler of `createHttpHandler`
 * never does, the middleware rejects with the error.
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
  assertResult(api, 'api', 'createHttpHandler')
  return async (context) => {
    const { req, res, request } = context
    const overrides = { remoteAddress: request.ip, body: toHttpBody(req, request.body) }
    const { status, headers, body } = await handleNodeRequest(req, api, overrides)
    cleanUpDownload(body, res)
    context.body = body
    context.status = status
    context.set({ ...headers })
  }
}
