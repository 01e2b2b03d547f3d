/**
 * Mounts the vault in Express 4 and 5.
 * @module cofferkit/express
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { result } from '../base/argument.js'
import type { Authenticate, Authenticated } from '../http/authenticate.js'
import { type FrameworkLoginOptions, fromMount } from '../http/from-mount.js'
import type { HttpHandler } from '../http/message.js'
import { handleNodeRequest, send } from './node/messages.js'

declare global {
  // The type packages of Express, express-session and passport add their members to it.
  namespace Express {
    interface Request {}
  }
}

/** Express's request: Node's request, plus the address that Express reads from trusted proxies. */
export type ExpressRequest = IncomingMessage & { readonly ip?: string | undefined }

/**
 * Creates a handler for `app.use('/secrets', handler)`, where Express strips the prefix, or for
 * `app.use(handler)`. It responds to every request, even behind a body parser. If `api` rejects, it
 * calls `next` with the error. A handler of `createHttpHandler` never rejects.
 *
 * @throws TypeError if `api` is not a handler.
 *
 * @example
 * ```ts
 * import { createExpressHandler } from 'cofferkit/express'
 * import express from 'express'
 *
 * const app = express()
 * app.use('/secrets', createExpressHandler(api)) // api: createHttpHandler(service, options)
 * ```
 */
export function createExpressHandler(
  api: HttpHandler,
): (req: ExpressRequest, res: ServerResponse, next: (error: unknown) => void) => void {
  result('createHttpHandler')(api, 'api')
  return (req, res, next) => {
    const source = { mount: 'express', values: [req] }
    handleNodeRequest(req, res, api, { remoteAddress: req.ip, source }).then(
      (response) => send(response, res),
      next,
    )
  }
}

/**
 * Creates the option `authenticate` of `createHttpHandler` for {@link createExpressHandler}, from
 * your app's own login: a session, passport, or any other middleware before the mount.
 * @param authenticate - Called with Express's request. Return the caller, or a falsy value if
 * nobody is logged in (401).
 *
 * @example
 * ```ts
 * import { createCaller } from 'cofferkit'
 * import { fromExpress } from 'cofferkit/express'
 *
 * const authenticate = fromExpress((req) => req.user && createCaller({ id: req.user.id, vaults: req.user.vaults }))
 * ```
 */
export function fromExpress<Request extends ExpressRequest = ExpressRequest & Express.Request>(
  authenticate: (req: Request) => Authenticated | Promise<Authenticated>,
  options?: FrameworkLoginOptions,
): Authenticate {
  return fromMount('express', authenticate, options)
}
