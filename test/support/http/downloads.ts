/** Downloads that fail or never end, and the end of a download as an HTTP/2 client receives it. */

import { once } from 'node:events'
import { type ClientHttp2Stream, connect } from 'node:http2'
import type { Server } from 'node:net'
import { expect } from 'vitest'
import type { HttpHandler, HttpResponse } from '../../../src/http.js'
import { withServer } from './serve.js'
import { inTime } from './wire.js'

/**
 * Creates a handler of an endless download, or of one that never starts. `cancelled` resolves when
 * the download is cancelled.
 */
export function endlessDownload(begins = true): {
  readonly handler: HttpHandler
  readonly cancelled: Promise<unknown>
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
  return { handler: async () => download(body), cancelled: cancelled.promise }
}

/** Creates a handler of a download that fails 30 ms after this many chunks of 64 KiB. */
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

/**
 * Holds back the response of a handler. `received` resolves when the request arrives. `release`
 * lets the response go on after 50 ms, so that a disconnect is noticed first.
 */
export function holdBack(handler: HttpHandler): {
  readonly handler: HttpHandler
  readonly received: Promise<void>
  release(): Promise<void>
} {
  const received = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  return {
    handler: async (request) => {
      received.resolve()
      await gone.promise
      return handler(request)
    },
    received: received.promise,
    release: async () => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      gone.resolve()
    },
  }
}

function download(body: ReadableStream<Uint8Array>): HttpResponse {
  const headers = { 'content-type': 'application/octet-stream', 'content-length': '1000000' }
  return { status: 200, headers, body }
}

/** Runs `work` with a GET over HTTP/2. */
async function gettingOnHttp2<Result>(
  origin: string,
  work: (stream: ClientHttp2Stream) => Promise<Result>,
): Promise<Result> {
  const client = connect(origin)
  return work(client.request({ ':path': '/' })).finally(() => client.destroy())
}

/** Reads a stream and returns its HTTP/2 close code; 0 is a normal end. */
async function endOf(stream: ClientHttp2Stream): Promise<number | undefined> {
  stream.on('error', () => {}).resume()
  if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve))
  return stream.rstCode
}

/** Creates an HTTP/2 server for a handler. */
type Mount = (handler: HttpHandler) => Promise<Server>

/** Tests of downloads over HTTP/2, for every mount. */
export const downloadsOnHttp2: readonly (readonly [
  sentence: string,
  run: (mount: Mount) => Promise<void>,
])[] = [
  ...([0, 2] as const).map(
    (count) =>
      [
        `does not end normally if it fails after ${count} chunks`,
        async (mount: Mount) => {
          await withServer(await mount(failingDownload(count)), async (origin) => {
            const code = await gettingOnHttp2(origin, (stream) => inTime('the end', endOf(stream)))
            expect(code).toBe(2)
          })
        },
      ] as const,
  ),
  [
    'is cancelled when the client disconnects in the middle',
    async (mount) => {
      const { handler, cancelled } = endlessDownload()
      await withServer(await mount(handler), (origin) =>
        gettingOnHttp2(origin, async (stream) => {
          await once(stream, 'data')
          stream.destroy()
          await inTime('the cancellation', cancelled)
        }),
      )
    },
  ],
  [
    'is cancelled when the client disconnects before it starts',
    async (mount) => {
      const { handler, cancelled } = endlessDownload()
      const held = holdBack(handler)
      await withServer(await mount(held.handler), (origin) =>
        gettingOnHttp2(origin, async (stream) => {
          await held.received
          stream.destroy()
          await held.release()
          await inTime('the cancellation', cancelled)
        }),
      )
    },
  ],
]
