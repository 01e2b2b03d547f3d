/**
 * Mounts the vault on anything that speaks in Request and Response: workers, Deno, Bun, service workers, tests.
 * @module cofferkit/fetch
 */

import type { HttpHandler } from '../http/message.js'

/** A fetch handler. It answers every request and never rejects. */
export function createFetchHandler(handler: HttpHandler): (request: Request) => Promise<Response> {
  return async (request) => {
    const { status, headers, body } = await handler({
      method: request.method,
      url: request.url,
      header: (name) => request.headers.get(name) ?? undefined,
      body: chunksOf(request),
    })
    return new Response(body as BodyInit | null, { status, headers })
  }
}

/**
 * The chunks of the body, which is not even looked at before the first is asked for: a server can throw away what nobody
 * has begun to read. Not every runtime's streams can be iterated, and some never say that they are cancelled.
 */
async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  const reader = request.body?.getReader()
  if (reader === undefined) return
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    reader.cancel().catch(() => {})
  }
}
