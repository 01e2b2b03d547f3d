import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import { PassThrough } from 'node:stream'
import { fastify } from 'fastify'
import { describe, expect, it } from 'vitest'
import { createFastifyPlugin } from '../../src/adapters/fastify.js'
import { createNodeListener } from '../../src/adapters/node.js'
import type { HttpHandler } from '../../src/http/message.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { noteDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { mounts } from '../support/http/mounts.js'
import { vaultUrl } from '../support/http/requests.js'
import { withListener, withServer } from '../support/http/serve.js'
import { inTime, readUntilClosed, sendRaw } from '../support/http/wire.js'

const pause = () => new Promise((resolve) => setTimeout(resolve, 15))

function post(path: string, ...headers: readonly string[]): string[] {
  return [`POST ${path} HTTP/1.1`, 'authorization: Bearer full-token', ...headers]
}

function statuses(text: string): string[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status = '']) => status)
}

const json = 'content-type: application/json'

describe.each(mounts)('a body on $name', ({ serve }) => {
  it.each([
    ['in pieces', 1],
    ['in pieces of which the first comes with the headers', 20],
    ['all but the last byte with the headers', -1],
    ['after the headers', 0],
    ['with the headers', Number.POSITIVE_INFINITY],
  ])('is read as a whole when it arrives %s', async (_how, size) => {
    const vault = await createTestVault()
    await withServer(await serve(vault.handler), async (origin) => {
      const item = JSON.stringify(noteDraft(vault.vaultId, { title: 'whole' }))
      const length = `content-length: ${item.length}`
      const lines = post(vaultUrl(vault, '/items'), json, length, 'connection: close')
      const socket = await sendRaw(origin, lines, item.slice(0, size))
      const text = readUntilClosed(socket)
      if (item.slice(0, size) !== item) {
        await pause()
        if (size > 0) {
          socket.write(item.slice(size, 2 * size))
          await pause()
        }
        socket.write(item.slice(size > 0 ? 2 * size : size))
      }
      expect(await inTime('the response', text)).toMatch(/^HTTP\/1.1 200 .*"title":"whole"/s)
    })
  })

  it('is read for each of two requests that arrive in one packet', async () => {
    const vault = await createTestVault()
    await withServer(await serve(vault.handler), async (origin) => {
      const item = JSON.stringify(noteDraft(vault.vaultId))
      const length = `content-length: ${item.length}`
      const lines = post(vaultUrl(vault, '/items'), json, length)
      const second = `${[...lines, 'host: x', 'connection: close'].join('\r\n')}\r\n\r\n${item}`
      const socket = await sendRaw(origin, lines, item + second)
      const text = await inTime('the responses', readUntilClosed(socket))
      expect(statuses(text)).toEqual(['200', '200'])
    })
  })

  it('is 413 when more bytes than allowed arrive at once, with and without a length', async () => {
    const vault = await createTestVault({}, { maxBodyBytes: 20 })
    await withServer(await serve(vault.handler), async (origin) => {
      const body = `"${'a'.repeat(30)}"`
      const chunked = `20\r\n${body}\r\n0\r\n\r\n`
      for (const [header, sent] of [
        [`content-length: ${body.length}`, body],
        ['transfer-encoding: chunked', chunked],
      ] as const) {
        const lines = post(vaultUrl(vault, '/items'), json, header, 'connection: close')
        const socket = await sendRaw(origin, lines, sent)
        const text = await inTime('the response', readUntilClosed(socket))
        expect(statuses(text)).toEqual(['413'])
      }
    })
  })

  it('is 408 when its last byte does not arrive in time', async () => {
    const vault = await createTestVault({}, { bodyTimeoutMs: 50 })
    await withServer(await serve(vault.handler), async (origin) => {
      const item = JSON.stringify(noteDraft(vault.vaultId))
      const length = `content-length: ${item.length + 1}`
      const socket = await sendRaw(origin, post(vaultUrl(vault, '/items'), json, length), item)
      const [first] = await inTime('the response', once(socket, 'data'))
      socket.destroy()
      expect(statuses(String(first))).toEqual(['408'])
    })
  })
})

/** Returns a handler, and a list of the bodies that had arrived when it was called. */
function createTakingHandler(): { handler: HttpHandler; taken: unknown[] } {
  const taken: unknown[] = []
  const handler: HttpHandler = async ({ body }) => {
    if (body === null || 'parsed' in body) expect.fail('the body has been read')
    const isTaken = body instanceof Uint8Array
    taken.push(isTaken ? String(body) : undefined)
    let rest = ''
    if (!isTaken) for await (const chunk of body) rest += chunk
    return { status: 200, headers: {}, body: rest }
  }
  return { handler, taken }
}

describe('handleNodeRequest', () => {
  it.each([
    ['a body that came with its headers', 'content-length: 5', 'hello', 'hello', ''],
    ['nothing of a part', 'content-length: 10', 'hello', undefined, 'helloworld'],
    ['nothing without a length', 'transfer-encoding: chunked', chunk('hello'), undefined, 'hello'],
    ['no bytes of an empty body', 'content-length: 0', '', '', ''],
  ])('takes %s on node:http', async (_what, header, body, expected, rest) => {
    const { handler, taken } = createTakingHandler()
    await withListener(createNodeListener(handler), async (origin) => {
      const socket = await sendRaw(origin, post('/', header, 'connection: close'), body)
      if (rest === 'helloworld') {
        await pause()
        socket.write('world')
      }
      const text = await inTime('the response', readUntilClosed(socket))
      expect(text.split('\r\n\r\n')[1]).toBe(rest)
      expect(taken).toEqual([expected])
    })
  })

  it('makes no generator for a request whose body is not read', async () => {
    const bodies: unknown[] = []
    const handler: HttpHandler = async ({ body }) => {
      bodies.push(body)
      return { status: 200, headers: {}, body: '' }
    }
    await withListener(createNodeListener(handler), async (origin) => {
      await (await fetch(origin)).text()
      await (
        await fetch(origin, {
          method: 'POST',
          body: streamOf([utf8('a')]),
          duplex: 'half',
        } as RequestInit)
      ).text()
    })
    const [none, unread] = bodies
    expect(none).toEqual(new Uint8Array(0))
    expect(String(unread)).toBe('[object Object]')
  })

  it.each([
    ['at once', async () => {}],
    ['later', pause],
  ])('lets the request end and close when the response is sent %s', async (_when, wait) => {
    const events: string[] = []
    const listener = createNodeListener(async ({ body }) => {
      if (body instanceof Uint8Array) events.push(String(body))
      await wait()
      return { status: 200, headers: {}, body: '' }
    })
    await withListener(
      (req, res) => {
        for (const event of ['end', 'close']) req.on(event, () => events.push(event))
        listener(req, res)
      },
      async (origin) => {
        const socket = await sendRaw(origin, post('/', 'content-length: 5'), 'hello')
        await inTime('the response', once(socket, 'data'))
        await pause()
        expect(events).toEqual(['hello', 'end', 'close'])
        socket.destroy()
      },
    )
  })

  it('takes nothing of a body whose length and encoding contradict each other', async () => {
    const { handler, taken } = createTakingHandler()
    const server = createServer({ insecureHTTPParser: true }, createNodeListener(handler))
    await withServer(server, async (origin) => {
      const headers = ['content-length: 5', 'transfer-encoding: chunked', 'connection: close']
      const socket = await sendRaw(origin, post('/', ...headers), '5\r\nhello\r\n')
      await pause()
      socket.write(chunk('world'))
      const text = await inTime('the response', readUntilClosed(socket))
      expect(text.split('\r\n\r\n')[1]).toBe('helloworld')
      expect(taken).toEqual([undefined])
    })
  })

  it('takes nothing of a body that something else reads', async () => {
    const { handler, taken } = createTakingHandler()
    const seen: string[] = []
    const listener = createNodeListener(handler)
    await withListener(
      (req, res) => {
        req.on('data', (data) => seen.push(String(data)))
        listener(req, res)
      },
      async (origin) => {
        const lines = post('/', 'content-length: 5', 'connection: close')
        const socket = await sendRaw(origin, lines, 'hello')
        await inTime('the response', readUntilClosed(socket))
        expect([taken, seen]).toEqual([[undefined], ['hello']])
      },
    )
  })

  it('takes nothing of a stream with which a hook of Fastify has replaced the request', async () => {
    const { handler, taken } = createTakingHandler()
    const app = fastify()
    app.addHook('preParsing', async (_request, _reply, payload) => {
      payload.resume()
      const decoded = new PassThrough()
      decoded.write('HELLO')
      setTimeout(() => decoded.end('WORLD'), 15)
      return decoded
    })
    app.register(createFastifyPlugin(handler))
    await app.ready()
    await withServer(app.server, async (origin) => {
      const socket = await sendRaw(
        origin,
        post('/', 'content-length: 5', 'connection: close'),
        'hello',
      )
      const text = await inTime('the response', readUntilClosed(socket))
      expect(text.split('\r\n\r\n')[1]).toBe('HELLOWORLD')
      expect(taken).toEqual([undefined])
    })
  })

  it('takes nothing on node:http2, where the body is then read', async () => {
    const { handler, taken } = createTakingHandler()
    await withServer(createHttp2Server(createNodeListener(handler)), async (origin) => {
      const client = connectHttp2(origin)
      const stream = client.request({ ':method': 'POST', ':path': '/', 'content-length': '5' })
      stream.end('hello')
      let text = ''
      for await (const data of stream) text += data
      client.destroy()
      expect([taken, text]).toEqual([[undefined], 'hello'])
    })
  })
})

/** The only chunk of a chunked body, and its end. */
function chunk(text: string): string {
  return `${text.length}\r\n${text}\r\n0\r\n\r\n`
}
