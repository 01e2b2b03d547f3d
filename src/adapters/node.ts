/**
 * Mounts the vault on `node:http` and `node:http2`, and on whatever takes their listeners.
 * @module cofferkit/node
 */

import type { HttpHandler } from '../http/message.js'
import { handleNodeRequest, type NodeRequest } from './node/request.js'
import { abortResponse, type NodeServerResponse, send } from './node/send-response.js'

export type { NodeRequest } from './node/request.js'
export type { NodeServerResponse } from './node/send-response.js'

/** A request listener. It answers every request, behind a body parser too, and closes the socket when that is impossible. */
export function createNodeListener(
  handler: HttpHandler,
): (req: NodeRequest, res: NodeServerResponse) => void {
  return (req, res) => {
    handleNodeRequest(req, handler).then(
      (response) => send(response, res),
      () => abortResponse(res),
    )
  }
}
