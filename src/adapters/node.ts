/**
 * Mounts the vault on `node:http`, and on whatever takes its listeners.
 * @module cofferkit/node
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpHandler } from '../http/message.js'
import { answerTo } from './node-message.js'
import { breakOff, send } from './node-send.js'

/** A request listener. It answers every request, behind a body parser too, and closes the socket when that is impossible. */
export function createNodeListener(
  handler: HttpHandler,
): (req: IncomingMessage, res: ServerResponse) => void {
  return (req, res) => {
    answerTo(req, handler).then(
      (response) => send(response, res),
      () => breakOff(res),
    )
  }
}
