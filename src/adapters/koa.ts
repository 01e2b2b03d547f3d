/**
 * Mounts the vault in Koa 2 and 3.
 * @module cofferkit/koa
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpHandler } from '../http/message.js'
import { handleNodeRequest, toHttpBody } from './node/request.js'
import { cleanUpDownload } from './node/send-response.js'

/** What is used of Koa's context. */
export interface KoaContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** `body` is where body parsers leave what they have read. */
  readonly request: { readonly ip: string; readonly body?: unknown }
  status: number
  body: unknown
  /** Sets headers of the answer. */
  set(headers: Record<string, string>): void
}

/**
 * A middleware for `app.use`, and for `koa-mount`, which takes the prefix away. It answers every request, behind a body
 * parser too, through the context, so that middleware before it sees the answer. If `api` fails, which the handlers of
 * this library never do, it throws.
 */
export function createKoaMiddleware(api: HttpHandler): (context: KoaContext) => Promise<void> {
  return async (context) => {
    const { req, res, request } = context
    const known = { remoteAddress: request.ip, body: toHttpBody(req, request.body) }
    const { status, headers, body } = await handleNodeRequest(req, api, known)
    cleanUpDownload(body, res)
    context.body = body
    context.status = status
    context.set({ ...headers })
  }
}
