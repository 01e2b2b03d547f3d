import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import type { HttpHandler, HttpResponse } from '../../src/http/message.js'
import { loginDraft } from '../support/drafts.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { type AppOptions, type FrameworkUnderTest, mounts } from '../support/http/mounts.js'
import { vaultUrl } from '../support/http/requests.js'
import { withServer } from '../support/http/serve.js'
import { createReadingHandler, inTime, readUntilClosed, sendRaw } from '../support/http/wire.js'

/** Returns a content of `count` chunks of 64 KiB, which are created when they are read. */
function chunks(count: number): {
  content: ReadableStream<Uint8Array>
  created: () => number
  cancelled: Promise<unknown>
} {
  let created = 0
  const cancelled = Promise.withResolvers<unknown>()
  const content = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (created === count) controller.close()
        else controller.enqueue(new Uint8Array(65_536).fill(created++ & 255))
      },
      cancel: cancelled.resolve,
    },
    { highWaterMark: 0 },
  )
  return { content, created: () => created, cancelled: cancelled.promise }
}

/** Returns a content that fails 30 ms after `count` chunks of ten bytes. */
function failingAfter(count: number): ReadableStream<Uint8Array> {
  let sent = 0
  return new ReadableStream(
    {
      async pull(controller) {
        if (sent++ < count) return controller.enqueue(new Uint8Array(10).fill(65))
        await new Promise((resolve) => setTimeout(resolve, 30))
        controller.error(new Error('the disk failed'))
      },
    },
    { highWaterMark: 0 },
  )
}

function download(content: ReadableStream<Uint8Array>, size: number): HttpResponse {
  return { status: 200, headers: { 'content-length': String(size) }, body: content }
}

describe.each(mounts)('every mount: $name', (framework) => {
  it('sends a complete download, no faster than it is read', async () => {
    const { content, created } = chunks(512)
    await mounted(
      framework,
      async () => download(content, 512 * 65_536),
      async (origin) => {
        const response = await responseOf(`${origin}/download`)
        response.pause()
        await new Promise((resolve) => setTimeout(resolve, 100))
        const early = created()
        let size = 0
        for await (const chunk of response) size += chunk.length
        expect([size, created()]).toEqual([512 * 65_536, 512])
        expect(early).toBeLessThan(256)
      },
    )
  })

  it('cancels a download when the client disconnects in the middle', async () => {
    const { content, cancelled } = chunks(100_000)
    await mounted(
      framework,
      async () => download(content, 100_000 * 65_536),
      async (origin) => {
        const response = await responseOf(`${origin}/download`)
        await once(response, 'data')
        response.destroy()
        await inTime('cancelling', cancelled)
      },
    )
  })

  it('lists the headers of a request', async () => {
    let listed: readonly (readonly [string, string])[] = []
    const handler: HttpHandler = async ({ headers }) => {
      listed = [...(headers?.() ?? [])]
      return { status: 204, headers: {}, body: null }
    }
    await mounted(framework, handler, async (origin) => {
      const socket = await sendRaw(origin, [
        ...['GET / HTTP/1.1', 'x-a: 1', 'x-a: 2', 'authorization: a', 'authorization: b'],
        'connection: close',
      ])
      await readUntilClosed(socket)
      const headers = new Headers()
      for (const [name, value] of listed) headers.append(name, value)
      expect([headers.get('x-a'), headers.get('authorization')]).toEqual(['1, 2', 'a, b'])
    })
  })

  it('aborts the signal when the client disconnects before the response', async () => {
    const called = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<unknown>()
    const handler: HttpHandler = async ({ signal }) => {
      signal?.().addEventListener('abort', aborted.resolve)
      called.resolve()
      await aborted.promise
      return { status: 204, headers: {}, body: null }
    }
    await mounted(framework, handler, async (origin) => {
      const socket = await sendRaw(origin, ['GET / HTTP/1.1'])
      await called.promise
      socket.destroy()
      await inTime('aborting', aborted.promise)
    })
  })

  it('cancels a download when the client disconnects before it begins', async () => {
    const { content, cancelled } = chunks(100_000)
    const called = Promise.withResolvers<void>()
    const gone = Promise.withResolvers<void>()
    const handler: HttpHandler = async () => {
      called.resolve()
      await gone.promise
      return download(content, 100_000 * 65_536)
    }
    await mounted(framework, handler, async (origin) => {
      const socket = await sendRaw(origin, ['GET /download HTTP/1.1'])
      await called.promise
      socket.destroy()
      await new Promise((resolve) => setTimeout(resolve, 50))
      gone.resolve()
      await inTime('cancelling', cancelled)
    })
  })

  it.each([
    ['in the middle', 1, { 'content-length': '20' }],
    ['in the middle of an unknown length', 1, {}],
    ['before its first byte', 0, { 'content-length': '20' }],
  ])('sends no complete response when a download fails %s', async (_, count, headers) => {
    const handler: HttpHandler = async () => ({ status: 200, headers, body: failingAfter(count) })
    await mounted(framework, handler, async (origin) => {
      const socket = await sendRaw(origin, ['GET /download HTTP/1.1', 'connection: close'])
      const text = await inTime('closing', readUntilClosed(socket))
      expect(text).not.toMatch(/^HTTP\/1.1 200 .*\r\n0\r\n\r\n$/s)
      expect(text.match(/A/g)?.length ?? 0).toBeLessThan(20)
      expect(text).not.toContain('disk')
    })
  })

  it('stores nothing when the client disconnects in the middle of an item', async () => {
    const vault = await createTestVault()
    const onResponse = vi.fn<(response: HttpResponse) => void>()
    const handler: HttpHandler = async (request) => {
      const response = await vault.handler(request)
      onResponse(response)
      return response
    }
    await mounted(framework, handler, async (origin) => {
      const item = JSON.stringify(loginDraft(vault.vaultId))
      const lines = post(vaultUrl(vault, '/items'), `content-length: ${item.length + 10}`)
      const socket = await sendRaw(origin, lines, item)
      await new Promise((resolve) => setTimeout(resolve, 50))
      socket.destroy()
      await expect.poll(() => onResponse.mock.calls.length).toBe(1)
      expect(onResponse.mock.lastCall?.[0].status).toBeGreaterThanOrEqual(400)
      const { vaultId } = vault
      expect(await vault.service.listItems(vault.caller, { vaultId })).toHaveLength(1)
    })
  })

  it.each([
    ['while it is read', 0],
    ['before it is read', 80],
  ])('fails a body when its client disconnects %s', async (_, pause) => {
    const { handler, end } = createReadingHandler(pause)
    await mounted(framework, handler, async (origin) => {
      const lines = post('/upload', 'transfer-encoding: chunked')
      const socket = await sendRaw(origin, lines, '5\r\nhello\r\n')
      await new Promise((resolve) => setTimeout(resolve, 40))
      socket.destroy()
      expect(await inTime('the end of reading', end)).toBe('broken off')
    })
  })

  it.each([
    [
      'synchronously',
      () => {
        throw new Error('impossible')
      },
    ],
    ['asynchronously', () => Promise.reject(new Error('impossible'))],
  ] as [string, HttpHandler][])(
    'ends the request when the handler throws %s',
    async (_, handler) => {
      const onError = vi.fn()
      await mounted(
        framework,
        handler,
        async (origin) => {
          for (const [body, lines] of [
            ['', ['GET / HTTP/1.1']],
            ['hello', post('/', 'content-length: 5')],
          ] as const) {
            const socket = await sendRaw(origin, [...lines, 'connection: close'], body)
            const text = await inTime('the response', readUntilClosed(socket))
            expect(text).toMatch(framework.hasErrorPath ? /^HTTP\/1.1 500 / : /^$/)
          }
        },
        { onError },
      )
      const calls = framework.hasErrorPath ? 2 : 0
      expect(onError.mock.calls.map(([error]) => error.message)).toEqual(
        Array(calls).fill('impossible'),
      )
    },
  )
})

/** Runs `work` with a server of the framework, with `handler` at the root. */
async function mounted(
  { serve }: FrameworkUnderTest,
  handler: HttpHandler,
  work: (origin: string) => Promise<void>,
  options: AppOptions = {},
): Promise<void> {
  await withServer(await serve(handler, options), work)
}

/** Returns the response to a GET before its body is read. */
async function responseOf(url: string): Promise<IncomingMessage> {
  const [response] = await once(httpRequest(url, { agent: false }).end(), 'response')
  return response
}

function post(path: string, ...headers: readonly string[]): string[] {
  return [`POST ${path} HTTP/1.1`, 'authorization: Bearer full-token', ...headers]
}
