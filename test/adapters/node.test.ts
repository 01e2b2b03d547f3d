import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { createNodeListener } from '../../src/adapters/node.js'
import type { HttpResponse } from '../../src/http/message.js'
import { createTestVault } from '../support/http/checked-handlers.js'
import { itemUrl } from '../support/http/requests.js'
import { withListener, withServer } from '../support/http/serve.js'

const mebibyte = 1024 * 1024

/** Returns a content of chunks of 64 KiB, which are created when they are read. */
function chunksOf(chunks: number): {
  content: ReadableStream<Uint8Array>
  created: () => number
  cancelled: () => boolean
} {
  let created = 0
  const cancelled = vi.fn()
  const content = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (created === chunks) return controller.close()
        controller.enqueue(new Uint8Array(65_536).fill(created++ & 255))
      },
      cancel: cancelled,
    },
    { highWaterMark: 0 },
  )
  return { content, created: () => created, cancelled: () => cancelled.mock.calls.length > 0 }
}

function download(content: ReadableStream<Uint8Array>, size: number): HttpResponse {
  return { status: 200, headers: { 'content-length': String(size) }, body: content }
}

/** Returns the response to a GET before its body is read. */
async function responseOf(origin: string): Promise<IncomingMessage> {
  const [response] = await once(httpRequest(origin, { agent: false }).end(), 'response')
  return response
}

describe('createNodeListener', () => {
  it('sends 32 MiB from a stream no faster than they are read', async () => {
    const { content, created } = chunksOf(512)
    await withListener(
      createNodeListener(async () => download(content, 32 * mebibyte)),
      async (origin) => {
        const response = await responseOf(origin)
        response.pause()
        await new Promise((resolve) => setTimeout(resolve, 100))
        const early = created()
        let size = 0
        for await (const chunk of response) size += chunk.length
        expect([size, created()]).toEqual([32 * mebibyte, 512])
        expect(early).toBeLessThan(512)
      },
    )
  })

  it('cancels the content when the client disconnects in the middle', async () => {
    const { content, cancelled } = chunksOf(100_000)
    await withListener(
      createNodeListener(async () => download(content, 100_000 * 65_536)),
      async (origin) => {
        const response = await responseOf(origin)
        await once(response, 'data')
        response.destroy()
        await expect.poll(cancelled).toBe(true)
      },
    )
  })

  it('closes the connection when the content fails in the middle', async () => {
    let sent = false
    const content = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent) controller.error(new Error('the disk failed'))
        else controller.enqueue(new Uint8Array(10))
        sent = true
      },
    })
    await withListener(
      createNodeListener(async () => download(content, 20)),
      async (origin) => {
        const content = fetch(origin).then((response) => response.arrayBuffer())
        await expect(content).rejects.toThrow()
      },
    )
  })

  it('closes the socket when the handler rejects', async () => {
    await withListener(
      createNodeListener(() => Promise.reject(new Error('impossible'))),
      async (origin) => {
        await expect(fetch(origin)).rejects.toThrow()
      },
    )
  })

  it('responds with 408 and closes the connection when a body arrives too late', async () => {
    const vault = await createTestVault({}, { bodyTimeoutMs: 50 })
    await withListener(createNodeListener(vault.handler), async (origin) => {
      const { port, hostname } = new URL(origin)
      const socket = connectTcp(Number(port), hostname)
      const header = [
        `PUT ${itemUrl(vault)} HTTP/1.1`,
        'host: x',
        'authorization: Bearer full-token',
        'content-length: 100',
      ]
      socket.write(`${header.join('\r\n')}\r\n\r\n{"category":`)
      let text = ''
      for await (const chunk of socket) text += chunk
      expect(text).toMatch(/^HTTP\/1\.1 408 /)
      expect(text).toMatch(/\r\nconnection: close\r\n/i)
      expect(text).toContain('{"status":408,"message":"the body did not arrive in time"}')
    })
  })

  it('responds to concurrent requests', async () => {
    const vault = await createTestVault()
    await withListener(createNodeListener(vault.handler), async (origin) => {
      const headers = { authorization: 'Bearer full-token' }
      const responses = Array.from({ length: 100 }, async () =>
        (await fetch(origin + itemUrl(vault), { headers })).json(),
      )
      expect(new Set((await Promise.all(responses)).map((item) => JSON.stringify(item))).size).toBe(
        1,
      )
    })
  })

  it('joins headers of one name, also when Node keeps only the first', async () => {
    const seen: unknown[] = []
    const listener = createNodeListener(async ({ header }) => {
      seen.push(header('Authorization'), header('x-a'), header('__proto__'), header('none'))
      return { status: 204, headers: {}, body: null }
    })
    await withListener(listener, async (origin) => {
      const { port, hostname } = new URL(origin)
      const socket = connectTcp(Number(port), hostname)
      socket.end(
        'GET / HTTP/1.1\r\nhost: x\r\nauthorization: a\r\nAUTHORIZATION: b\r\nx-a: 1\r\nX-A: 2\r\n__proto__: p\r\nconnection: close\r\n\r\n',
      )
      await once(socket.resume(), 'close')
    })
    expect(seen).toEqual(['a, b', '1, 2', 'p', undefined])
  })

  it('sends bytes unchanged with Content-Length', async () => {
    const bytes = Uint8Array.of(0, 255, 128)
    await withListener(
      createNodeListener(async () => ({ status: 200, headers: {}, body: bytes })),
      async (origin) => {
        const response = await fetch(origin)
        expect(response.headers.get('content-length')).toBe('3')
        expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
      },
    )
  })

  it('passes the target unresolved', async () => {
    const targets: string[] = []
    const listener = createNodeListener(async ({ url }) => {
      targets.push(url)
      return { status: 204, headers: {}, body: null }
    })
    const server = createServer(listener)
    await withServer(server, async (origin) => {
      const { port, hostname } = new URL(origin)
      for (const path of ['/a/../b', '//c/d', 'http://evil/e', '/%2e%2e']) {
        await once(httpRequest({ port, hostname, path, agent: false }).end(), 'response')
      }
    })
    expect(targets).toEqual(['/a/../b', '//c/d', 'http://evil/e', '/%2e%2e'])
  })
})
