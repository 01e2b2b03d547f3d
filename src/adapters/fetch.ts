/**
 * Mounts the vault on every server with Request and Response: workers, Deno, Bun, service workers,
 * tests.
 * @module cofferkit/fetch
 */

import { assertResult } from '../assert-argument.js'
import type { HttpHandler } from '../http/message.js'

/**
 * Creates a fetch handler. It responds to every request, and rejects only if `handler` does, which
 * a handler of `createHttpHandler` never does.
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
export function createFetchHandler(handler: HttpHandler): (request: Request) => Promise<Response> {
  assertResult(handler, 'handler', 'createHttpHandler')
  return async (request) => {
    const { status, headers, body } = await handler({
      method: request.method,
      url: request.url,
      header: (name) => request.headers.get(name) ?? undefined,
      body: readChunks(request),
    })
    return new Response(body as BodyInit | null, { status, headers })
  }
}

/**
 * Returns the chunks of the body. The body is locked only when the first chunk is requested,
 * because a server can discard a body that is unread. Uses a reader, because the streams of some
 * runtimes are not iterable, and others are never cancelled at the end of an iteration.
 */
async function* readChunks(request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader()
  if (reader === undefined) return
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    reader.cancel().catch(() => {})
  }
}
