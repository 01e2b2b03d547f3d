/**
 * Mounts the vault in Express 4 and 5.
 * @module cofferkit/express
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpHandler } from '../http/message.js'
import { handleNodeRequest } from './node/request.js'
import { send } from './node/send-response.js'

/** Express's request: that of Node, and the address of the client behind those proxies that the app trusts. */
export type ExpressRequest = IncomingMessage & { readonly ip?: string | undefined }

/**
 * A handler for `app.use('/secrets', handler)`, where Express takes the prefix away, or for `app.use(handler)`. It answers
 * every request, behind a body parser too. If `api` fails, which the handlers of this library never do, `next` is told.
 */
export function createExpressHandler(
  api: HttpHandler,
): (req: ExpressRequest, res: ServerResponse, next: (error: unknown) => void) => void {
  return (req, res, next) => {
    handleNodeRequest(req, api, { remoteAddress: req.ip }).then(
      (response) => send(response, res),
      next,
    )
  }
}
