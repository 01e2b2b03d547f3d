import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import express from 'express'
import { describe, expect, it, vi } from 'vitest'
import { createNodeListener } from '../../src/adapters/node.js'
import { readUpload, type UploadLimits, uploadLimits } from '../../src/http/read-upload.js'
import type { HttpHandler, HttpHandlerOptions } from '../../src/http.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { createFaultyStore } from '../../src/testing.js'
import { readBytes, streamOf, utf8 } from '../support/bytes.js'
import { createRequest, parseResponse } from '../support/http/requests.js'
import { type Mount, withListener } from '../support/http/serve.js'
import { createUploadVault, upload } from '../support/http/uploads.js'
import { useVirtualTime } from '../support/virtual-time.js'

/** Wraps a handler and records the statuses of its responses in order. */
function watchStatuses(handler: HttpHandler): { handler: HttpHandler; statuses: number[] } {
  const statuses: number[] = []
  const watched: HttpHandler = async (request) => {
    const response = await handler(request)
    statuses.push(response.status)
    return response
  }
  return { handler: watched, statuses }
}

describe('readUpload maxFileBytes', () => {
  const maxFileBytes = 1000

  it('accepts an upload of exactly the limit', async () => {
    const vault = await createUploadVault({ maxFileBytes })
    expect((await upload(vault, new Uint8Array(maxFileBytes))).status).toBe(200)
    expect((await upload(vault, streamOf([new Uint8Array(maxFileBytes)]))).status).toBe(200)
  })

  it.each([
    ['it has a Content-Length', () => new Uint8Array(maxFileBytes + 1)],
    ['it has no Content-Length', () => streamOf(Array(maxFileBytes + 1).fill(Uint8Array.of(1)))],
  ])('responds with 413 to a larger upload and stores nothing when %s', async (_, body) => {
    const vault = await createUploadVault({ maxFileBytes })
    const { status, file } = await upload(vault, body())
    expect(status).toBe(413)
    expect(file.message).toBe('the content must not be larger than 1000 bytes')
    await vault.expectNothingStored()
  })

  it('does not read a body with a larger Content-Length', async () => {
    const vault = await createUploadVault({ maxFileBytes })
    const pull = vi.fn()
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
    const headers = { 'content-length': '1001' }
    const response = await vault.handler(
      createRequest(vault, 'POST', vault.url(), { body, headers }),
    )
    expect([response.status, pull.mock.calls.length]).toEqual([413, 0])
  })
})

describe('readUpload with an incomplete upload', () => {
  it.each(['content-length: 100', 'transfer-encoding: chunked'])(
    'responds with 400 and stores nothing when the client disconnects: %s',
    async (length) => {
      const onError = vi.fn()
      const vault = await createUploadVault({ onError })
      const { handler, statuses } = watchStatuses(vault.handler)
      await withListener(createNodeListener(handler), async (origin) => {
        const { hostname, port } = new URL(origin)
        const socket = connect(Number(port), hostname)
        const header = ['host: x', `authorization: ${vault.authorization}`, length]
        socket.write(`POST ${vault.url()} HTTP/1.1\r\n${header.join('\r\n')}\r\n\r\n4\r\nhalf\r\n`)
        await once(socket, 'connect')
        await new Promise((resolve) => setTimeout(resolve, 30))
        socket.destroy()
        await expect.poll(() => statuses).toEqual([400])
      })
      expect(onError).not.toHaveBeenCalled()
      await vault.expectNothingStored()
    },
  )

  it.each(['4', '6'])(
    'responds with 400 when the body is not as long as Content-Length: %s',
    async (length) => {
      const vault = await createUploadVault()
      const headers = { 'content-length': length }
      const body = streamOf([utf8('hello')])
      const response = await vault.handler(
        createRequest(vault, 'POST', vault.url(), { body, headers }),
      )
      expect(parseResponse(response)).toEqual({
        status: 400,
        body: { status: 400, message: 'content must be complete and as long as Content-Length' },
      })
      await vault.expectNothingStored()
    },
  )

  it('responds with 408 and closes the connection when no chunk arrives in time', async () => {
    const vault = await createUploadVault({ bodyTimeoutMs: 40 })
    await withListener(createNodeListener(vault.handler), async (origin) => {
      const { hostname, port } = new URL(origin)
      const socket = connect(Number(port), hostname)
      const header = ['host: x', `authorization: ${vault.authorization}`, 'content-length: 100']
      socket.write(`POST ${vault.url()} HTTP/1.1\r\n${header.join('\r\n')}\r\n\r\nhalf`)
      let text = ''
      for await (const chunk of socket) text += chunk
      expect(text).toMatch(/^HTTP\/1\.1 408 /)
    })
    await vault.expectNothingStored()
  })

  /** Reads an upload whose bytes arrive after 25 ms each; returns their number. */
  async function readSlowly(limits: UploadLimits): Promise<number> {
    useVirtualTime()
    async function* dripping(): AsyncGenerator<Uint8Array> {
      for (let left = 5; left > 0; left--) {
        await new Promise((resolve) => setTimeout(resolve, 25))
        yield utf8('x')
      }
    }
    const anonymous = { tokens: { full: '', reader: '', writer: '', otherVault: '' } }
    const request = createRequest(anonymous, 'POST', '/', { body: null })
    const content = readUpload({ ...request, body: dripping() }, uploadLimits.read(limits))
    return (await readBytes(content)).length
  }

  it('accepts a slow upload of at least minUploadRate, whose chunks arrive in time', async () => {
    expect(await readSlowly({ bodyTimeoutMs: 60, minUploadRate: 40 })).toBe(5)
    expect(await readSlowly({ bodyTimeoutMs: 60, minUploadRate: 0 })).toBe(5)
    expect(await readSlowly({ bodyTimeoutMs: 200 })).toBe(5)
  })

  it('fails with 408 when an upload is slower than minUploadRate, 1,024 if absent', async () => {
    for (const rate of [{ minUploadRate: 41 }, {}])
      await expect(readSlowly({ bodyTimeoutMs: 60, ...rate })).rejects.toMatchObject({
        status: 408,
      })
  })

  it('counts only the time in which the client is waited for', async () => {
    const onUploadProgress = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100))
    expect(await readSlowly({ bodyTimeoutMs: 130, onUploadProgress })).toBe(5)
  })
})

describe('readUpload with a failing server', () => {
  it('cancels the source once, whatever fails', async () => {
    let isBroken = false
    const store = createFaultyStore(createMemoryStore(), ({ store: half, method }) =>
      isBroken && half === 'blobs' && method === 'write' ? 'fail-before' : undefined,
    )
    const cases: [Partial<HttpHandlerOptions>, number][] = [
      [{}, 500],
      [{ maxFileBytes: 3 }, 413],
      [
        {
          onUploadProgress: () => {
            throw new Error('no')
          },
        },
        500,
      ],
      [{ onUploadProgress: () => Promise.reject(new Error('no')) }, 500],
    ]
    for (const [options, status] of cases) {
      const vault = await createUploadVault(
        options,
        status === 500 && !options.onUploadProgress ? store : undefined,
      )
      isBroken = true
      const cancel = vi.fn(async () => ({ done: true as const, value: undefined }))
      const next = async () => ({ done: false as const, value: utf8('hello') })
      const body = { [Symbol.asyncIterator]: () => ({ next, return: cancel }) }
      const response = await vault.handler(createRequest(vault, 'POST', vault.url(), { body }))
      isBroken = false
      expect([response.status, cancel.mock.calls.length]).toEqual([status, 1])
      await vault.expectNothingStored()
    }
  })

  it.each<[string, Partial<AsyncIterator<Uint8Array>>]>([
    ['cannot be cancelled', {}],
    ['rejects when it is cancelled', { return: () => Promise.reject(new Error('no')) }],
    ['never ends when it is cancelled', { return: () => new Promise(() => {}) }],
  ])('responds when the source %s', async (_, members) => {
    const vault = await createUploadVault({ maxFileBytes: 3 })
    const next = async () => ({ done: false as const, value: utf8('hello') })
    const body = { [Symbol.asyncIterator]: () => ({ next, ...members }) }
    const response = await vault.handler(createRequest(vault, 'POST', vault.url(), { body }))
    expect(response.status).toBe(413)
  })

  it('does not read a byte of an upload that is rejected with 401, 403 or 404', async () => {
    const vault = await createUploadVault()
    const pull = vi.fn()
    const post = (url: string, headers = {}) => {
      const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 })
      return vault.handler(createRequest(vault, 'POST', url, { body, headers }))
    }
    const otherVault = { authorization: `Bearer ${vault.tokens.otherVault}` }
    const elsewhere = vault.url().replace(vault.item.id, 'b'.repeat(26))
    const responses = [
      await post(vault.url(), { authorization: undefined }),
      await post(vault.url(), otherVault),
      await post(elsewhere),
    ]
    expect(responses.map(({ status }) => status)).toEqual([401, 403, 404])
    expect(pull).not.toHaveBeenCalled()
  })
})

describe('readUpload behind a body parser', () => {
  const behind =
    (parser: express.RequestHandler): Mount =>
    (handler) =>
      express().use(parser, createNodeListener(handler))
  const raw = behind(express.raw({ type: () => true }))
  const json = behind(express.json())

  it('accepts the bytes that the parser has read', async () => {
    const vault = await createUploadVault()
    const { status, file } = await upload(vault, utf8('hello'), { mounting: raw })
    expect([status, file.size]).toEqual([200, 5])
    expect(await vault.contentOf(file)).toEqual(utf8('hello'))
  })

  it('responds with 413 when the parser has read more than maxFileBytes', async () => {
    const vault = await createUploadVault({ maxFileBytes: 4 })
    const chunked = streamOf([utf8('hello')])
    expect((await upload(vault, chunked, { mounting: raw })).status).toBe(413)
    await vault.expectNothingStored()
  })

  it('responds with 415 when the parser has converted the body', async () => {
    const vault = await createUploadVault()
    const headers = { 'content-type': 'application/json' }
    expect((await upload(vault, '{}', { mounting: json, headers })).status).toBe(415)
    await vault.expectNothingStored()
    expect((await upload(vault, '{}', { mounting: json })).status).toBe(200)
  })

  it('names what to do when the parser has converted the body', async () => {
    const vault = await createUploadVault()
    const headers = { 'content-type': 'application/json' }
    const { file } = await upload(vault, '{}', { mounting: json, headers })
    expect(file.message).toBe(
      'a body parser has read the content: send it as application/octet-stream, ' +
        'or mount the vault before the parser',
    )
  })

  it('stores a JSON file unchanged when the parser has kept its bytes', async () => {
    const verify = (req: object, _res: unknown, bytes: Buffer) => Reflect.set(req, 'rawBody', bytes)
    const keeping = behind(express.json({ verify }))
    const vault = await createUploadVault({ maxFileBytes: 100 })
    const headers = { 'content-type': 'application/json' }
    const text = '{ "a": 1.0,\n"a": 2 }'
    const { status, file } = await upload(vault, text, { mounting: keeping, headers })
    expect([status, await vault.contentOf(file)]).toEqual([200, utf8(text)])
    const large = await upload(vault, `["${'a'.repeat(99)}"]`, { mounting: keeping, headers })
    expect(large.status).toBe(413)
  })

  it('responds with 415 when the body is encoded, with a parser and without', async () => {
    const vault = await createUploadVault()
    const headers = { 'content-encoding': 'gzip' }
    for (const mounting of [createNodeListener, raw])
      expect((await upload(vault, gzipSync('hello'), { mounting, headers })).status).toBe(415)
    await vault.expectNothingStored()
    const plain = { 'content-encoding': 'Identity' }
    expect((await upload(vault, 'x', { headers: plain })).status).toBe(200)
  })
})

describe('readUpload of a multipart body', () => {
  it('responds with 415, and says how to send the file', async () => {
    const vault = await createUploadVault()
    const body = new FormData()
    body.append('file', new Blob(['hello']), 'a.txt')
    const { status, file } = await upload(vault, body)
    expect([status, file.message]).toEqual([
      415,
      'a multipart body is not accepted: send the bytes of the file as the body, ' +
        'and its name as ?name=',
    ])
    await vault.expectNothingStored()
  })
})
