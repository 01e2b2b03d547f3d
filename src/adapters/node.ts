/**
 * Mounts the vault on `node:http` and `node:http2`, and on everything that takes their listeners.
 * Also exports a `fetch` that connects to public addresses only, for a relay on Node.
 * @module cofferkit/node
 */

import { result } from '../base/argument.js'
import type { Authenticate, Authenticated } from '../http/authenticate.js'
import { type FrameworkLoginOptions, fromMount } from '../http/from-mount.js'
import type { HttpHandler } from '../http/message.js'
import { abortResponse, handleNodeRequest, send } from './node/messages.js'
import type { NodeRequest, NodeServerResponse } from './node/node-request.js'

export type { NodeRequest, NodeServerResponse } from './node/node-request.js'
export { createPublicFetch, type PublicFetchOptions } from './node/public-fetch.js'

/**
 * Creates a request listener. It responds to every request, even behind a body parser. If it cannot
 * respond, it closes the connection.
 *
 * @throws TypeError if `handler` is not a handler.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createCaller, createVaultService } from 'cofferkit'
 * import { createHttpHandler } from 'cofferkit/http'
 * import { createMemoryStore } from 'cofferkit/memory'
 * import { createNodeListener } from 'cofferkit/node'
 *
 * const service = createVaultService({ store: createMemoryStore() })
 * const handler = createHttpHandler(service, { authenticate: () => createCaller({ id: 'wendy', vaults: '*' }) })
 * createServer(createNodeListener(handler)).listen(8080)
 * ```
 */
export function createNodeListener(
  handler: HttpHandler,
): (req: NodeRequest, res: NodeServerResponse) => void {
  result('createHttpHandler')(handler, 'handler')
  return respond.bind(undefined, handler)
}

async function respond(
  handler: HttpHandler,
  req: NodeRequest,
  res: NodeServerResponse,
): Promise<void> {
  try {
    const source = { mount: 'node', values: [req] }
    send(await handleNodeRequest(req, res, handler, { source }), res)
  } catch {
    abortResponse(res)
  }
}

/**
 * Creates the option `authenticate` of `createHttpHandler` for {@link createNodeListener}, from
 * your server's own login.
 * @param authenticate - Called with Node's request, including everything that your server has added
 * to it. Return the caller, or a falsy value if nobody is logged in (401). Do not read the body.
 *
 * @example
 * ```ts
 * import { createCaller } from 'cofferkit'
 * import { fromNode } from 'cofferkit/node'
 *
 * const authenticate = fromNode((req) => {
 *   const user = sessions.get(req.headers.cookie) // your own sessions
 *   return user && createCaller({ id: user.id, vaults: user.vaults })
 * })
 * ```
 */
export function fromNode<Request = NodeRequest>(
  authenticate: (req: Request) => Authenticated | Promise<Authenticated>,
  options?: FrameworkLoginOptions,
): Authenticate {
  return fromMount('node', authenticate, options)
}
