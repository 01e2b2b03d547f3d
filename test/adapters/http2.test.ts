import { once } from 'node:events'
import { type ClientHttp2Session, connect, createServer } from 'node:http2'
import { describe, expect, it, vi } from 'vitest'
import { createNodeListener } from '../../src/adapters/node.js'
import type { HttpHandler } from '../../src/http/message.js'
import { utf8 } from '../support/bytes.js'
import { loginDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { itemUrl, vaultUrl } from '../support/http/requests.js'
import { withServer } from '../support/http/serve.js'
import { createReadingHandler, inTime } from '../support/http/wire.js'

/** Runs `work` with a client of the handler on `node:http2`. */
async function onHttp2(
  { handler }: { readonly handler: HttpHandler },
  work: (client: ClientHttp2Session) => Promise<void>,
): Promise<void> {
  await withServer(createServer(createNodeListener(handler)), async (origin) => {
    const client = connect(origin)
    await work(client).finally(() => client.destroy())
  })
}

/** Returns the status and the text of a response. The body of the request ends only if `ends`. */
async function send(
  client: ClientHttp2Session,
  method: string,
  path: string,
  body = '',
  ends = true,
): Promise<[number, string]> {
  const headers = { ':method': method, ':path': path, authorization: 'Bearer full-token' }
  const stream = client.request(headers, { endStream: false })
  stream.write(body)
  if (ends) stream.end()
  const [response] = await once(stream, 'response')
  let text = ''
  for await (const chunk of stream) text += chunk
  return [response[':status'], text]
}

describe('createNodeListener on node:http2', () => {
  it('lists the headers, and aborts the signal when the stream is closed', async () => {
    const called = Promise.withResolvers<readonly string[]>()
    const aborted = Promise.withResolvers<void>()
    const handler: HttpHandler = async ({ headers, signal }) => {
      signal?.().addEventListener('abort', () => aborted.resolve())
      called.resolve([...(headers?.() ?? [])].flat())
      await aborted.promise
      const late = signal?.().aborted
      expect(late).toBe(true)
      return { status: 204, headers: {}, body: null }
    }
    await onHttp2({ handler }, async (client) => {
      const stream = client.request({ ':path': '/', 'x-a': ['1', '2'] })
      stream.on('error', () => {})
      expect(await called.promise).toEqual(['x-a', '1', 'x-a', '2'])
      stream.close()
      await inTime('aborting', aborted.promise)
    })
  })

  it('responds to reads, writes, downloads and invalid requests', async () => {
    const vault = await createTestVault()
    await onHttp2(vault, async (client) => {
      const draft = JSON.stringify(loginDraft(vault.vaultId))
      expect(await send(client, 'GET', itemUrl(vault))).toEqual([200, JSON.stringify(vault.item)])
      expect(await send(client, 'POST', vaultUrl(vault, '/items'), draft)).toHaveProperty('0', 200)
      expect(await send(client, 'POST', vaultUrl(vault, '/items'), '{')).toHaveProperty('0', 400)
      expect(await send(client, 'GET', vault.largeFile.content_path)).toEqual([
        200,
        '\x07'.repeat(1025),
      ])
      expect(await send(client, 'GET', '/nowhere')).toHaveProperty('0', 404)
      expect(await send(client, 'HEAD', itemUrl(vault))).toEqual([200, ''])
      expect(await send(client, 'DELETE', itemUrl(vault))).toEqual([204, ''])
    })
  })

  it('responds with 408 to a slow body without the header Connection', async () => {
    const vault = await createTestVault({}, { bodyTimeoutMs: 50 })
    const warned = vi.fn()
    process.on('warning', warned)
    await onHttp2(vault, async (client) => {
      expect(await send(client, 'PUT', itemUrl(vault), '{', false)).toHaveProperty('0', 408)
    })
    await new Promise((resolve) => setImmediate(resolve))
    process.off('warning', warned)
    expect(warned).not.toHaveBeenCalled()
  })

  it('cancels a download when the client disconnects, also before it begins', async () => {
    for (const early of [false, true]) {
      const called = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      const cancelled = Promise.withResolvers<void>()
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
        cancel: () => cancelled.resolve(),
      })
      const handler: HttpHandler = async () => {
        called.resolve()
        if (early) await gone.promise
        return { status: 200, headers: {}, body }
      }
      await onHttp2({ handler }, async (client) => {
        const stream = client.request({ ':path': '/' })
        await (early ? called.promise : once(stream, 'data'))
        stream.destroy()
        await new Promise((resolve) => setTimeout(resolve, 50))
        gone.resolve()
        await inTime('cancelling', cancelled.promise)
      })
    }
  })

  it.each([
    ['while it is read', 0],
    ['before it is read', 80],
  ])('fails a body when its client disconnects %s', async (_, pause) => {
    const { handler, end } = createReadingHandler(pause)
    await onHttp2({ handler }, async (client) => {
      const stream = client.request({ ':method': 'POST', ':path': '/' })
      stream.write('hello')
      await new Promise((resolve) => setTimeout(resolve, 40))
      stream.destroy()
      expect(await inTime('the end of reading', end)).toBe('broken off')
    })
  })

  it('ends the request with an error when the handler rejects or a download fails', async () => {
    let sent = false
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (!sent) controller.enqueue(utf8('half'))
        else setTimeout(() => controller.error(new Error('the disk failed')), 30)
        sent = true
      },
    })
    const handlers: readonly HttpHandler[] = [
      () => Promise.reject(new Error('impossible')),
      async () => ({ status: 200, headers: {}, body }),
    ]
    for (const handler of handlers) {
      await onHttp2({ handler }, async (client) => {
        const stream = client.request({ ':path': '/' })
        const closed = once(stream.resume(), 'close').catch((error) => [error])
        const [error] = await inTime('the end', closed)
        expect([error.code, stream.rstCode]).toEqual(['ERR_HTTP2_STREAM_ERROR', 2])
      })
    }
  })
})
