/** Downloads that are watched or fail, and how a client of HTTP/2 sees them end. */

import { once } from 'node:events'
import { type ClientHttp2Stream, connect } from 'node:http2'
import type { Server } from 'node:net'
import { expect } from 'vitest'
import type { HttpHandler, HttpResponse } from '../../../src/http.js'
import { listening } from './serve.js'
import { withinASecond } from './wire.js'

/** A handler whose answer is a download without an end, or without a beginning, and when that is let go of. */
export function endlessDownload(begins = true): {
  readonly handler: HttpHandler
  readonly letGo: Promise<unknown>
} {
  const cancelled = Promise.withResolvers<unknown>()
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        begins ? controller.enqueue(new Uint8Array(65_536)) : new Promise<void>(() => {}),
      cancel: cancelled.resolve,
    },
    { highWaterMark: 0 },
  )
  return { handler: async () => download(body), letGo: cancelled.promise }
}

/** A handler whose answer is a download that fails after so many chunks of 64 KiB, and a while. */
export function failingDownload(count: number): HttpHandler {
  return async () => {
    let sent = 0
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      if (sent++ < count) return controller.enqueue(new Uint8Array(65_536))
      await new Promise((resolve) => setTimeout(resolve, 30))
      controller.error(new Error('the disk failed'))
    }
    return download(new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }))
  }
}

/** The same handler, which waits when it has been asked, until it may go on: a while later, so that hanging up is seen. */
export function heldBack(handler: HttpHandler): {
  readonly handler: HttpHandler
  readonly asked: Promise<void>
  goOn(): Promise<void>
} {
  const asked = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  return {
    handler: async (request) => {
      asked.resolve()
      await gone.promise
      return handler(request)
    },
    asked: asked.promise,
    goOn: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      gone.resolve()
    },
  }
}

function download(body: ReadableStream<Uint8Array>): HttpResponse {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': '1000000' }
  return { status: 200, headers, body }
}

/** Runs `work` with a GET on a connection of HTTP/2. */
async function gettingOnHttp2<Result>(
  origin: string,
  work: (stream: ClientHttp2Stream) => Promise<Result>,
): Promise<Result> {
  const client = connect(origin)
  return work(client.request({ ':path': '/' })).finally(() => client.destroy())
}

/** The code with which a stream of HTTP/2 is closed, when what came of it has been read: 0 is a good end. */
async function endOf(stream: ClientHttp2Stream): Promise<number | undefined> {
  stream.on('error', () => {}).resume()
  if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve))
  return stream.rstCode
}

/** Makes a server of HTTP/2 that mounts a handler. */
type Mount = (handler: HttpHandler) => Promise<Server>

/** What is expected of downloads on HTTP/2 of every mount. */
export const downloadsOnHttp2: readonly (readonly [
  sentence: string,
  run: (mount: Mount) => Promise<void>,
])[] = [
  ...([0, 2] as const).map(
    (count) =>
      [
        `does not end as if it were whole if it fails after ${count} chunks`,
        async (mount: Mount) => {
          await listening(await mount(failingDownload(count)), async (origin) => {
            const code = await gettingOnHttp2(origin, (stream) =>
              withinASecond('the end', endOf(stream)),
            )
            expect(code).toBe(2)
          })
        },
      ] as const,
  ),
  [
    'is let go of when the client hangs up in the middle',
    async (mount) => {
      const { handler, letGo } = endlessDownload()
      await listening(await mount(handler), (origin) =>
        gettingOnHttp2(origin, async (stream) => {
          await once(stream, 'data')
          stream.destroy()
          await withinASecond('letting go', letGo)
        }),
      )
    },
  ],
  [
    'is let go of when the client has hung up before it begins',
    async (mount) => {
      const { handler, letGo } = endlessDownload()
      const held = heldBack(handler)
      await listening(await mount(held.handler), (origin) =>
        gettingOnHttp2(origin, async (stream) => {
          await held.asked
          stream.destroy()
          await held.goOn()
          await withinASecond('letting go', letGo)
        }),
      )
    },
  ],
]
