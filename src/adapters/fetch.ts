/**
 * Mounts the vault on every server with Request and Response: workers, Deno, Bun, service workers,
 * tests.
 * @module cofferkit/fetch
 */

import { argumentError, result } from '../base/argument.js'
import { type Chunks, isChunks, toChunks, toStream } from '../base/blob-content.js'
import type { Authenticate, Authenticated } from '../http/authenticate.js'
import { type FrameworkLoginOptions, fromMount } from '../http/from-mount.js'
import type { HttpHandler } from '../http/message.js'

/**
 * Creates a fetch handler. It responds to every request. It rejects only if `handler` does, and a
 * handler of `createHttpHandler` never rejects. Other arguments, which differ between platforms,
 * are only passed on to {@link fromFetch}.
 *
 * @throws TypeError if `handler` is not a handler.
 *
 * @example
 * ```ts
 * import { createFetchHandler } from 'cofferkit/fetch'
 *
 * export default { fetch: createFetchHandler(api) } // api: createHttpHandler(service, options)
 * ```
 */
export function createFetchHandler(
  handler: HttpHandler,
): (request: Request, ...platform: readonly unknown[]) => Promise<Response> {
  result('createHttpHandler')(handler, 'handler')
  return async (request, ...platform) => {
    if (typeof request?.headers?.get !== 'function')
      throw argumentError(request, 'request', 'a Request: Node servers need createNodeListener')
    const { status, headers, body } = await handler({
      method: request.method,
      url: request.url,
      header: (name) => request.headers.get(name) ?? undefined,
      headers: () => request.headers,
      signal: () => request.signal,
      body: readChunks(request),
      source: { mount: 'fetch', values: [request, ...platform] },
    })
    const content = isChunks(body) ? toStream(body) : (body as BodyInit | null)
    return new Response(content, { status, headers })
  }
}

/**
 * Creates the option `authenticate` of `createHttpHandler` for {@link createFetchHandler}, from
 * your app's own login.
 * @param authenticate - Called with the Request and the other arguments of the fetch handler, such
 * as a worker's `env` and `ctx`. Return the caller, or a falsy value if nobody is logged in (401).
 * Do not read the body of the Request.
 *
 * @example
 * ```ts
 * import { createCaller } from 'cofferkit'
 * import { fromFetch } from 'cofferkit/fetch'
 *
 * const authenticate = fromFetch(async (request: Request) => {
 *   const session = await auth.api.getSession({ headers: request.headers }) // better-auth
 *   return session && createCaller({ id: session.user.id, vaults: '*' })
 * })
 * ```
 */
export function fromFetch<Values extends readonly [Request, ...unknown[]] = [Request]>(
  authenticate: (...values: Values) => Authenticated | Promise<Authenticated>,
  options?: FrameworkLoginOptions,
): Authenticate {
  return fromMount('fetch', authenticate, options)
}

/**
 * Returns the chunks of the body. The body is not touched until the first chunk is requested,
 * because a server can discard an unread body.
 */
function readChunks(request: Request): AsyncIterableIterator<Uint8Array> {
  let chunks: Chunks | undefined
  return {
    async next() {
      if (request.body === null) return { done: true, value: undefined }
      chunks ??= toChunks(request.body)
      return chunks.next()
    },
    async return() {
      await chunks?.return()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
