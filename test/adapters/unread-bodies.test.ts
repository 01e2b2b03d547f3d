import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { describe, expect, it, vi } from 'vitest'
import {
  mostReadBytes,
  readUntil,
  respondWith,
  socketMounts,
  statuses,
  stopTimers,
  unauthorized,
  withMount,
} from '../support/http/unread-bodies.js'
import { inTime, readUntilClosed, sendRaw } from '../support/http/wire.js'

const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
const token = 'authorization: Bearer full-token'
const next = 'GET /heartbeat HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n'

describe.each(socketMounts)('a body that is left unread on $name', (mount) => {
  it.each([1, 65_536])(
    'is discarded when it has %d bytes, so that the connection can be used again',
    async (size) => {
      await withMount(mount, async ({ origin, post }) => {
        stopTimers()
        const socket = await sendRaw(origin, post(`content-length: ${size}`))
        const first = await readUntil(socket, unauthorized)
        expect(first).not.toMatch(/^connection: close/im)
        const rest = readUntilClosed(socket)
        socket.write('a'.repeat(size) + next)
        expect(statuses(await rest)).toEqual(['200'])
      })
    },
  )

  it('leaves nothing on a connection that is used again', async () => {
    await withMount(mount, async ({ origin, post, sockets }) => {
      stopTimers()
      const lines = post('content-length: 5')
      const socket = await sendRaw(origin, lines)
      const counts: unknown[] = []
      for (let count = 0; count < 3; count++) {
        await readUntil(socket, unauthorized)
        counts.push(sockets[0]?.listenerCount('close'))
        socket.write(`hello${[...lines, 'host: x'].join('\r\n')}\r\n\r\n`)
      }
      expect(new Set(counts).size).toBe(1)
      expect(vi.getTimerCount()).toBeLessThanOrEqual(1)
      socket.destroy()
    })
  })

  it('is left when it is large, and the client receives the whole response', async () => {
    await withMount(mount, async ({ origin, post, sockets }) => {
      const socket = await sendRaw(origin, post('content-length: 10000000'), 'a'.repeat(10_000_000))
      const text = await inTime('closing', readUntilClosed(socket))
      expect(text).toMatch(/^HTTP\/1.1 401 .*\r\nconnection: close\r\n/is)
      expect(text).toContain(unauthorized)
      expect(sockets[0]?.bytesRead).toBeLessThan(mostReadBytes)
    })
  })

  it('is left when it is large, and fetch returns the response', async () => {
    await withMount(mount, async ({ vault, origin, sockets }) => {
      const response = await fetch(`${origin}/v1/vaults/${vault.vaultId}/items`, {
        method: 'POST',
        body: new Uint8Array(10_000_000),
      })
      expect([response.status, await response.text()]).toEqual([401, unauthorized])
      expect(sockets[0]?.bytesRead).toBeLessThan(mostReadBytes)
    })
  })

  it('is left when the caller lacks the permission', async () => {
    await withMount(mount, async ({ origin, post, sockets }) => {
      const reader = 'authorization: Bearer reader-token'
      const lines = post(reader, 'content-length: 10000000')
      const socket = await sendRaw(origin, lines, 'a'.repeat(10_000_000))
      const text = await inTime('closing', readUntilClosed(socket))
      expect(text).toMatch(/^HTTP\/1.1 403 .*\r\nconnection: close\r\n/is)
      expect(text).toContain('is not in scope for writing')
      expect(sockets[0]?.bytesRead).toBeLessThan(mostReadBytes)
    })
  })

  it('is left when its chunks have no end', async () => {
    await withMount(mount, async ({ origin, post, sockets }) => {
      const socket = await sendRaw(origin, post('transfer-encoding: chunked'))
      const text = readUntilClosed(socket)
      while (!socket.closed && socket.writable) {
        if (socket.write(chunk)) await new Promise(setImmediate)
        else await Promise.race([once(socket, 'drain'), text].map((end) => end.catch(() => {})))
      }
      expect(await inTime('closing', text)).toContain(unauthorized)
      expect(sockets[0]?.bytesRead).toBeLessThan(mostReadBytes)
    })
  })

  it.each([
    ['chunks stay away', 'transfer-encoding: chunked', true],
    ['last byte stays away', 'content-length: 5', false],
  ])('is waited for at most a second when its %s', async (_what, header, isAnnounced) => {
    await withMount(mount, async ({ origin, post, sockets }) => {
      stopTimers()
      const socket = await sendRaw(origin, post(header), '4\r\n')
      const text = await readUntil(socket, unauthorized)
      expect(/^connection: close/im.test(text)).toBe(isAnnounced)
      await expect.poll(() => vi.getTimerCount()).toBe(1)
      vi.advanceTimersByTime(999)
      expect(sockets[0]?.destroyed).toBe(false)
      vi.advanceTimersByTime(1)
      expect(sockets[0]?.destroyed).toBe(true)
      await readUntilClosed(socket)
    })
  })

  it('is left when it was found to be too large in its middle', async () => {
    await withMount(
      mount,
      async ({ origin, post, sockets }) => {
        const socket = await sendRaw(origin, post(token, 'transfer-encoding: chunked'), chunk)
        const text = readUntilClosed(socket)
        for (let count = 0; count < 100; count++) socket.write(chunk)
        const response = await inTime('closing', text)
        expect(statuses(response)).toEqual(['413'])
        expect(response).toMatch(/^connection: close/im)
        expect(sockets[0]?.bytesRead).toBeLessThan(mostReadBytes)
      },
      { maxBodyBytes: 20 },
    )
  })

  it('is discarded when its chunks came with the headers', async () => {
    await withMount(mount, async ({ origin, post }) => {
      const lines = post('transfer-encoding: chunked')
      const socket = await sendRaw(origin, lines, `5\r\nhello\r\n0\r\n\r\n${next}`)
      const text = await inTime('the responses', readUntilClosed(socket))
      expect(statuses(text)).toEqual(['401', '200'])
    })
  })

  it('is not waited for while the response is sent', async () => {
    const size = 16 * 1024 * 1024
    const handler = respondWith(size)
    await withMount(
      mount,
      async ({ origin }) => {
        stopTimers()
        const headers = { 'content-length': '10000000' }
        const sent = httpRequest(origin, { method: 'POST', headers, agent: false })
        sent.on('error', () => {})
        sent.write('a'.repeat(200_000))
        const [response] = await once(sent, 'response')
        await once(response, 'readable')
        vi.advanceTimersByTime(60_000)
        expect(await readText(response)).toHaveLength(size)
      },
      { handler },
    )
  })
})
