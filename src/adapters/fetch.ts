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
      body: request.body === null ? null : chunksOf(request.body),
    })
    return new Response(body as BodyInit | null, { status, headers })
  }
}

/** The stream's chunks; not every runtime's streams can be iterated, and some never say that they are cancelled. */
async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
  } finally {
    reader.cancel().catch(() => {})
  }
}
