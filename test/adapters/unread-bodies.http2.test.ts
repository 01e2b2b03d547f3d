import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, createServer } from 'node:http2'
import type { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { createNodeListener } from '../../src/adapters/node.js'
import type { HttpHandler } from '../../src/http/message.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { itemUrl, vaultUrl } from '../support/http/requests.js'
import { withServer } from '../support/http/serve.js'
import {
  mostReadBytes,
  respondWith,
  stopTimers,
  unauthorized,
  watchSockets,
} from '../support/http/unread-bodies.js'
import { inTime } from '../support/http/wire.js'

interface Session {
  readonly client: ClientHttp2Session
  /** The server's ends of the connections. */
  readonly sockets: readonly Socket[]
  /** Begins a request without a token, for a new item. */
  post(headers?: Readonly<Record<string, string>>): ClientHttp2Stream
  /** Expects that the connection can be used again. */
  expectUsable(): Promise<void>
}

/** Runs `work` with a client of a test vault, or of `handler`, on `node:http2`. */
async function onHttp2(
  work: (session: Session) => Promise<void>,
  handler?: HttpHandler,
): Promise<void> {
  const vault = await createTestVault()
  const server = createServer(createNodeListener(handler ?? vault.handler))
  const sockets = watchSockets(server)
  await withServer(server, async (origin) => {
    const client = connect(origin)
    const path = vaultUrl(vault, '/items')
    const session: Session = {
      client,
      sockets,
      post: (headers) => client.request({ ':method': 'POST', ':path': path, ...headers }),
      async expectUsable() {
        const authorization = 'Bearer full-token'
        const stream = client.request({ ':path': itemUrl(vault), authorization })
        expect(await inTime('the next response', receive(stream))).toMatchObject([200, {}])
      },
    }
    await work(session).finally(() => client.destroy())
  })
}

/** Returns the status and the text of a response. The body of the request stays open. */
async function receive(stream: ClientHttp2Stream): Promise<[status: unknown, text: string]> {
  let status: unknown
  let text = ''
  stream.on('response', (headers) => {
    status = headers[':status']
  })
  stream.on('data', (data) => {
    text += data
  })
  await once(stream, 'end')
  return [status, text]
}

describe('a body that is left unread on node:http2', () => {
  it.each([
    ['it is large', { 'content-length': '10000000' }, 10_000_000],
    ['it is large, without a length', {}, 10_000_000],
    ['it has no length and does not end', {}, 5],
  ])(
    'has its stream reset without an error after the response when %s',
    async (_, headers, size) => {
      await onHttp2(async ({ post, sockets, expectUsable }) => {
        stopTimers()
        const stream = post(headers)
        const closed = once(stream, 'close')
        stream.write('a'.repeat(size))
        expect(await receive(stream)).toEqual([401, unauthorized])
        await expect.poll(() => vi.getTimerCount()).toBe(1)
        vi.advanceTimersByTime(1_000)
        await closed
        expect([stream.rstCode, stream.aborted]).toEqual([0, true])
        await expectUsable()
        expect(sockets[0]?.bytesRead).toBeLessThan(mostReadBytes)
      })
    },
  )

  it('is discarded when it is declared to be short', async () => {
    await onHttp2(async ({ post, sockets, expectUsable }) => {
      stopTimers()
      const stream = post({ 'content-length': '60000' })
      const closed = once(stream, 'close')
      expect(await receive(stream)).toEqual([401, unauthorized])
      stream.end('a'.repeat(60_000))
      await closed
      expect([stream.rstCode, stream.aborted]).toEqual([0, false])
      await expectUsable()
      expect(sockets[0]?.bytesRead).toBeGreaterThan(60_000)
    })
  })

  it('is waited for at most a second when it is declared to be short', async () => {
    await onHttp2(async ({ post, expectUsable }) => {
      stopTimers()
      const stream = post({ 'content-length': '5' })
      const closed = once(stream, 'close')
      stream.write('four')
      expect(await receive(stream)).toEqual([401, unauthorized])
      await expect.poll(() => vi.getTimerCount()).toBe(1)
      vi.advanceTimersByTime(999)
      await expectUsable()
      expect(stream.closed).toBe(false)
      vi.advanceTimersByTime(1)
      await closed
      expect(stream.rstCode).toBe(0)
      await expectUsable()
    })
  })

  it('leaves room in the connection for the bodies of other requests', async () => {
    await onHttp2(async ({ post, expectUsable }) => {
      stopTimers()
      const streams = Array.from({ length: 20 }, () => post())
      const closed = Promise.all(streams.map((stream) => once(stream, 'close')))
      for (const stream of streams) stream.write('a'.repeat(200_000))
      for (const response of await Promise.all(streams.map(receive)))
        expect(response).toEqual([401, unauthorized])
      await expectUsable()
      await expect.poll(() => vi.getTimerCount()).toBe(20)
      vi.advanceTimersByTime(1_000)
      await closed
      await expectUsable()
    })
  })

  it('does not cut off a response that the client reads slowly', async () => {
    const size = 4 * 1024 * 1024
    const handler = respondWith(size)
    await onHttp2(async ({ post }) => {
      stopTimers()
      const stream = post()
      stream.write('a'.repeat(60_000))
      await once(stream, 'response')
      await once(stream, 'readable')
      vi.advanceTimersByTime(60_000)
      let received = 0
      for await (const data of stream) received += data.length
      expect([received, stream.rstCode]).toEqual([size, 0])
    }, handler)
  })
})
