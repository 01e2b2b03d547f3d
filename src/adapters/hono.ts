/**
 * Mounts the vault in Hono 4, in every runtime that Hono runs in.
 * @module cofferkit/hono
 */

import { result } from '../base/argument.js'
import type { Authenticate, Authenticated } from '../http/authenticate.js'
import { type FrameworkLoginOptions, fromMount } from '../http/from-mount.js'
import type { HttpHandler } from '../http/message.js'
import { createFetchHandler } from './fetch.js'
import { stripPrefix } from './strip-prefix.js'

/** The members of Hono's context that the mount uses. On Node, `env` has the `incoming` request. */
export interface HonoContext {
  readonly req: {
    readonly raw: Request
    /** The path of the route, such as `/secrets/*`. */
    readonly routePath: string
    /** Returns the body, even if it has been read before. */
    arrayBuffer(): Promise<ArrayBuffer>
  }
  readonly env: unknown
  /** Returns what middleware has set with this name. */
  // biome-ignore lint/suspicious/noExplicitAny: as in Hono, for variables without a type.
  get(name: string): any
}

/**
 * Creates a handler for `app.all('/secrets/*', handler)`. It strips everything before the `*` from
 * the path. It responds to every request, even if the body has been read before. It rejects only if
 * `api` does, and a handler of `createHttpHandler` never rejects.
 *
 * @throws TypeError if `api` is not a handler.
 *
 * @example
 * ```ts
 * import { createHonoHandler } from 'cofferkit/hono'
 * import { Hono } from 'hono'
 *
 * const app = new Hono()
 * app.all('/secrets/*', createHonoHandler(api)) // api: createHttpHandler(service, options)
 * ```
 */
export function createHonoHandler(api: HttpHandler): (context: HonoContext) => Promise<Response> {
  result('createHttpHandler')(api, 'api')
  return async (context) => {
    const { req, env } = context
    const { raw, routePath } = req
    const override = raw.bodyUsed
      ? { body: { parsed: new Uint8Array(await req.arrayBuffer()) } }
      : {}
    const url = stripPrefix(requestTarget(raw, env), routePath)
    const source = { mount: 'hono', values: [context] }
    return createFetchHandler((request) => api({ ...request, url, source, ...override }))(raw)
  }
}

/**
 * Creates the option `authenticate` of `createHttpHandler` for {@link createHonoHandler}, from your
 * app's own login: any middleware before the mount.
 * @param authenticate - Called with Hono's context. Annotate it with your own context type for
 * typed variables. Return the caller, or a falsy value if nobody is logged in (401).
 *
 * @example
 * ```ts
 * import { createCaller } from 'cofferkit'
 * import { fromHono } from 'cofferkit/hono'
 *
 * const authenticate = fromHono((c) => c.get('user') && createCaller({ id: c.get('user').id, vaults: '*' }))
 * ```
 */
export function fromHono<Context = HonoContext>(
  authenticate: (context: Context) => Authenticated | Promise<Authenticated>,
  options?: FrameworkLoginOptions,
): Authenticate {
  return fromMount('hono', authenticate, options)
}

/**
 * Returns the target that the client sent, if it is known and no middleware has changed the URL.
 * Otherwise returns the URL of the Request, in which `..` is already resolved.
 */
function requestTarget({ url }: Request, env: unknown): string {
  const rawUrl: unknown = Reflect.get(Object(Reflect.get(Object(env), 'incoming')), 'url')
  if (typeof rawUrl !== 'string' || !URL.canParse(rawUrl, url)) return url
  return new URL(rawUrl, url).href === url ? rawUrl : url
}
