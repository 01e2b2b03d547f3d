/**
 * Mounts the vault in Express 4 and 5.
 * @module cofferkit/express
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { assertResult } from '../assert-argument.js'
import type { HttpHandler } from '../http/message.js'
import { handleNodeRequest, send } from './node/messages.js'

/** Express's request: a request of Node, with the client's address behind trusted proxies. */
export type ExpressRequest = IncomingMessage & { readonly ip?: string | undefined }

/**
 * Creates a handler for `app.use('/secrets', handler)`, where Express strips the prefix, or for
 * `app.use(handler)`. It responds to every request, also behind a body parser. If `api` rejects,
 * which a handler of `createHttpHandler` never does, it calls `next` with the error.
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
  assertResult(api, 'api', 'createHttpHandler')
  return (req, res, next) => {
    handleNodeRequest(req, api, { remoteAddress: req.ip }).then(
      (response) => send(response, res),
      next,
    )
  }
}
