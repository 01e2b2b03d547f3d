import { once } from 'node:events'
import type { Server } from 'node:net'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { describe, expect, it } from 'vitest'
import { createFastifyPlugin } from '../../src/adapters/fastify.js'
import type { HttpHandler } from '../../src/http/message.js'
import {
  downloadsOnHttp2,
  endlessDownload,
  failingDownload,
  holdBack,
} from '../support/http/downloads.js'
import { fastifyVersions } from '../support/http/frameworks.js'
import { withServer } from '../support/http/serve.js'
import { inTime, readUntilClosed, sendRaw } from '../support/http/wire.js'

type Setting = (app: FastifyInstance) => unknown

/** Pipes the payload through another stream, like a plugin for compression. */
const compressing: Setting = (app) =>
  app.addHook('onSend', async (_request, reply, payload) => {
    if (!(payload instanceof Readable)) return payload
    reply.removeHeader('content-length').header('content-encoding', 'gzip')
    return payload.pipe(createGzip())
  })

const replacing: Setting = (app) => app.addHook('onSend', async () => 'mine')

const throwing: Setting = (app) =>
  app.addHook('onSend', async (_request, _reply, payload) => {
    if (payload instanceof Readable) throw new Error('the hook failed')
  })

describe.each(fastifyVersions)('createFastifyPlugin downloads in %s', (_, fastify) => {
  async function onHttp1(handler: HttpHandler, setting: Setting = () => {}): Promise<Server> {
    const app = fastify()
    setting(app)
    app.register(createFastifyPlugin(handler))
    await app.ready()
    return app.server
  }

  async function onHttp2(handler: HttpHandler): Promise<Server> {
    const app = fastify({ http2: true })
    app.register(createFastifyPlugin(handler))
    await app.ready()
    return app.server
  }

  it('sends no response when a download fails before its first byte', async () => {
    await withServer(await onHttp1(failingDownload(0)), async (origin) => {
      const socket = await sendRaw(origin, ['GET /download HTTP/1.1'])
      expect(await inTime('closing', readUntilClosed(socket))).toBe('')
    })
  })

  it.each([0, 1, 4])(
    'closes the connection when a download fails after %d chunks, also through a stream of the app',
    async (count) => {
      await withServer(await onHttp1(failingDownload(count), compressing), async (origin) => {
        const socket = await sendRaw(origin, ['GET /download HTTP/1.1'])
        const text = await inTime('closing', readUntilClosed(socket))
        expect(text).toMatch(/^(?:HTTP\/1.1 200 |$)/)
        expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
      })
    },
  )

  it.each([
    ['replaces', replacing, /^HTTP\/1.1 200 .*mine$/s],
    ['throws instead of sending', throwing, /^HTTP\/1.1 500 .*the hook failed/s],
  ])('cancels a download when a hook of the app %s it', async (_verb, setting, expected) => {
    const { handler, cancelled } = endlessDownload()
    await withServer(await onHttp1(handler, setting), async (origin) => {
      const socket = await sendRaw(origin, ['GET /download HTTP/1.1', 'connection: close'])
      expect(await inTime('the response', readUntilClosed(socket))).toMatch(expected)
      await inTime('cancelling', cancelled)
    })
  })

  it('cancels a download when the client disconnects, through a stream of the app', async () => {
    const { handler, cancelled } = endlessDownload()
    await withServer(await onHttp1(handler, compressing), async (origin) => {
      const socket = await sendRaw(origin, ['GET /download HTTP/1.1'])
      await once(socket, 'data')
      socket.destroy()
      await inTime('cancelling', cancelled)
    })
  })

  it('cancels a download when the client disconnects before its first byte', async () => {
    const { handler, cancelled } = endlessDownload(false)
    const held = holdBack(handler)
    await withServer(await onHttp1(held.handler, compressing), async (origin) => {
      const socket = await sendRaw(origin, ['GET /download HTTP/1.1'])
      await held.release()
      await new Promise((resolve) => setTimeout(resolve, 30))
      socket.destroy()
      await inTime('cancelling', cancelled)
    })
  })

  it('cancels a download when the client disconnects before it is sent', async () => {
    const { handler, cancelled } = endlessDownload()
    const held = holdBack(handler)
    await withServer(await onHttp1(held.handler, compressing), async (origin) => {
      const socket = await sendRaw(origin, ['GET /download HTTP/1.1'])
      await held.received
      socket.destroy()
      await held.release()
      await inTime('cancelling', cancelled)
    })
  })

  it.each(downloadsOnHttp2)('%s, on HTTP/2', (_, run) => run(onHttp2))
})
