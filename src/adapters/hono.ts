/**
 * Mounts the vault in Hono 4, in every runtime that Hono runs in.
 * @module cofferkit/hono
 */

import type { HttpHandler } from '../http/message.js'
import { createFetchHandler } from './fetch.js'
import { stripPrefix } from './strip-prefix.js'

/** What is used of Hono's context. On Node its `env` holds the `incoming` request. */
export interface HonoContext {
  readonly req: {
    readonly raw: Request
    /** The route's own path, such as `/secrets/*`. */
    readonly routePath: string
    /** The body, also if it was asked for before. */
    arrayBuffer(): Promise<ArrayBuffer>
  }
  readonly env: unknown
}

/**
 * A handler for `app.all('/secrets/*', handler)`, which takes away what stands before the `*`. It answers every
 * request, also if the body was asked for before. It throws only if `api` does, which no handler of this library does.
 */
export function createHonoHandler(api: HttpHandler): (context: HonoContext) => Promise<Response> {
  return async ({ req, env }) => {
    const { raw, routePath } = req
    const read = raw.bodyUsed ? { body: { parsed: new Uint8Array(await req.arrayBuffer()) } } : {}
    const url = stripPrefix(targetOf(raw, env), routePath)
    return createFetchHandler((request) => api({ ...request, url, ...read }))(raw)
  }
}

/** The target as it came, where that is known and is still the request's; in a Request `..` is resolved already. */
function targetOf({ url }: Request, env: unknown): string {
  const rawUrl: unknown = Reflect.get(Object(Reflect.get(Object(env), 'incoming')), 'url')
  if (typeof rawUrl !== 'string' || !URL.canParse(rawUrl, url)) return url
  return new URL(rawUrl, url).href === url ? rawUrl : url
}
