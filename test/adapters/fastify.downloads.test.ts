import { once } from 'node:events'
import type { Server } from 'node:net'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { type FastifyInstance, fastify as fastify5 } from 'fastify'
import { fastify as fastify4 } from 'fastify4'
import { describe, expect, it } from 'vitest'
import { createFastifyPlugin } from '../../src/adapters/fastify.js'
import type { HttpHandler } from '../../src/http/message.js'
import {
  downloadsOnHttp2,
  endlessDownload,
  failingDownload,
  heldBack,
} from '../support/http/downloads.js'
import { listening } from '../support/http/serve.js'
import { requestOn, untilClosed, withinASecond } from '../support/http/wire.js'

type Setting = (app: FastifyInstance) => unknown

/** Sends the payload through a stream of its own, as a plugin that compresses does. */
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

// The types of the newer version are those of the older one, as far as they are used here.
describe.each([
  ['Fastify 4', fastify4 as unknown as typeof fastify5],
  ['Fastify 5', fastify5],
])('a download of the vault in %s', (_, fastify) => {
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

  it('is answered with nothing if it fails before its first byte', async () => {
    await listening(await onHttp1(failingDownload(0)), async (origin) => {
      const socket = await requestOn(origin, ['GET /download HTTP/1.1'])
      expect(await withinASecond('closing', untilClosed(socket))).toBe('')
    })
  })

  it.each([0, 1, 4])(
    'closes the connection if it fails after %d chunks, through a stream of the app too',
    async (count) => {
      await listening(await onHttp1(failingDownload(count), compressing), async (origin) => {
        const socket = await requestOn(origin, ['GET /download HTTP/1.1'])
        const text = await withinASecond('closing', untilClosed(socket))
        expect(text).toMatch(/^(?:HTTP\/1.1 200 |$)/)
        expect(text).not.toMatch(/\r\n0\r\n\r\n$/)
      })
    },
  )

  it.each([
    ['replaces', replacing, /^HTTP\/1.1 200 .*mine$/s],
    ['throws instead of sending', throwing, /^HTTP\/1.1 500 .*the hook failed/s],
  ])('is let go of when a hook of the app %s it', async (_verb, setting, answer) => {
    const { handler, letGo } = endlessDownload()
    await listening(await onHttp1(handler, setting), async (origin) => {
      const socket = await requestOn(origin, ['GET /download HTTP/1.1', 'connection: close'])
      expect(await withinASecond('the answer', untilClosed(socket))).toMatch(answer)
      await withinASecond('letting go', letGo)
    })
  })

  it('is let go of when the client hangs up, through a stream of the app too', async () => {
    const { handler, letGo } = endlessDownload()
    await listening(await onHttp1(handler, compressing), async (origin) => {
      const socket = await requestOn(origin, ['GET /download HTTP/1.1'])
      await once(socket, 'data')
      socket.destroy()
      await withinASecond('letting go', letGo)
    })
  })

  it('is let go of when the client hangs up before its first byte', async () => {
    const { handler, letGo } = endlessDownload(false)
    const held = heldBack(handler)
    await listening(await onHttp1(held.handler, compressing), async (origin) => {
      const socket = await requestOn(origin, ['GET /download HTTP/1.1'])
      await held.goOn()
      await new Promise((resolve) => setTimeout(resolve, 30))
      socket.destroy()
      await withinASecond('letting go', letGo)
    })
  })

  it('is let go of when the client has hung up before a stream of the app begins', async () => {
    const { handler, letGo } = endlessDownload()
    const held = heldBack(handler)
    await listening(await onHttp1(held.handler, compressing), async (origin) => {
      const socket = await requestOn(origin, ['GET /download HTTP/1.1'])
      await held.asked
      socket.destroy()
      await held.goOn()
      await withinASecond('letting go', letGo)
    })
  })

  it.each(downloadsOnHttp2)('%s, on HTTP/2', (_, run) => run(onHttp2))
})
