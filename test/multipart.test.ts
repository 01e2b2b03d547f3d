import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { multipartUploads } from 'cofferkit/multipart'
import { describe, expect, it, vi } from 'vitest'
import { createFetchHandler } from '../src/adapters/fetch.js'
import { createNodeListener } from '../src/adapters/node.js'
import type { HttpHandler, HttpHandlerOptions } from '../src/http.js'
import type { FileDetails } from '../src/index.js'
import { createEncryptedStore, createLocalKeyProvider } from '../src/storage/encrypted.js'
import { createSqliteStore } from '../src/storage/sqlite.js'
import { streamOf, utf8 } from './support/bytes.js'
import { measureCpuTime } from './support/cpu-time.js'
import { createRequest, parseResponse } from './support/http/requests.js'
import { withListener, withServer } from './support/http/serve.js'
import { mostReadBytes, watchSockets } from './support/http/unread-bodies.js'
import { createUploadVault, type UploadVault, upload } from './support/http/uploads.js'
import { itemRef } from './support/items/refs.js'
import { runAll } from './support/run-all.js'
import { ruleFailed } from './support/service/rejections.js'
import { openNodeDatabase } from './support/stores/sqlite.js'

const type = 'multipart/form-data; boundary=b'
const fileHeader = 'content-disposition: form-data; name="file"; filename="a.txt"'
const file = (content = 'hello') => part(fileHeader, content)
const text = (name: string, value: string) =>
  part(`content-disposition: form-data; name="${name}"`, value)

function part(headers: string, content: string): string {
  return `--b\r\n${headers}\r\n\r\n${content}\r\n`
}

function form(...parts: readonly string[]): string {
  return `${parts.join('')}--b--\r\n`
}

function createVault(options: Partial<HttpHandlerOptions> = {}): Promise<UploadVault> {
  return createUploadVault({ multipart: multipartUploads(), ...options })
}

interface PostOptions {
  readonly query?: string
  readonly contentType?: string
  /** The bytes of a chunk. */
  readonly size?: number
}

/** Uploads a form through the handler alone, in chunks. */
async function post(
  vault: UploadVault,
  body: string | Uint8Array,
  { query = '', contentType = type, size = 7 }: PostOptions = {},
) {
  const bytes = typeof body === 'string' ? utf8(body) : body
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  const headers = { 'content-type': contentType }
  const request = createRequest(vault, 'POST', vault.url(query), {
    body: streamOf(chunks),
    headers,
  })
  return parseResponse(await vault.handler(request))
}

async function expectRejected(
  body: string | Uint8Array,
  [status, message]: readonly [status: number, message: string],
  { vault, ...options }: PostOptions & { readonly vault?: UploadVault } = {},
): Promise<void> {
  const used = vault ?? (await createVault())
  expect(await post(used, body, options)).toEqual({ status, body: { status, message } })
  await used.expectNothingStored()
}

const malformed = [400, 'the form must be complete and well-formed'] as const

describe('multipartUploads', () => {
  it.runIf(runAll)('stops parsing at once when a chunk has thousands of parts', async () => {
    const vault = await createVault()
    const parts = utf8(text('more', '').repeat(200_000))
    const cpuTime = measureCpuTime()
    await expectRejected(parts, [400, 'the form must have at most 16 parts'], {
      vault,
      size: parts.length,
    })
    // It took 2,000 ms, without a turn of the event loop.
    expect(cpuTime()).toBeLessThan(1000)
  })

  it.each([
    ['before', 1],
    ['in', 300],
  ])('responds with the error of onUploadProgress %s the file', async (_, lastBytes) => {
    const errors: unknown[] = []
    const failure = new Error('no quota service')
    const vault = await createVault({
      onUploadProgress({ received }) {
        if (received >= lastBytes) throw failure
      },
      onError: (error) => errors.push(error),
    })
    const { status } = await post(vault, form(file('x'.repeat(1000))))
    expect([status, errors]).toMatchObject([
      500,
      [{ ...ruleFailed, message: 'onUploadProgress failed' }],
    ])
    await vault.expectNothingStored()
  })

  it('stores exactly the bytes of the file, whatever the sizes of the chunks are', async () => {
    const vault = await createVault()
    const content = '\r\n--\r\n--c\0\xff\r\n-'.repeat(50)
    for (const size of [1, 2, 3, 5, 16, 1000, 100_000]) {
      const { status, body } = await post(vault, form(file(content)), { size })
      expect([status, body]).toMatchObject([200, { name: 'a.txt' }])
      expect(await vault.contentOf(Object(body))).toEqual(utf8(content))
    }
  })

  it('reads the form that FormData creates', async () => {
    const vault = await createVault()
    const body = new FormData()
    body.append('comment', 'ignored')
    body.append('anything', new Blob(['hello']), 'ключ.txt')
    const { status, file: details } = await upload(vault, body, { query: '' })
    expect([status, details]).toMatchObject([200, { size: 5, name: 'ключ.txt' }])
    expect(await vault.contentOf(details)).toEqual(utf8('hello'))
  })

  it('takes the name from the query, or else from the part, or else from the file', async () => {
    const vault = await createVault()
    const parts = [text('name', 'part.txt'), file()]
    expect(await post(vault, form(...parts), { query: 'name=query.txt' })).toMatchObject({
      body: { name: 'query.txt' },
    })
    expect(await post(vault, form(...parts))).toMatchObject({ body: { name: 'part.txt' } })
    expect(await post(vault, form(file()))).toMatchObject({ body: { name: 'a.txt' } })
  })

  it.each([
    ['filename="../../etc/x"', 'x'],
    ['filename="C:\\\\keys\\\\x"', 'x'],
    ['filename="a"; filename*=UTF-8\'\'%D0%BA%2Fb', 'b'],
    ['filename="%22.txt"', '%22.txt'],
  ])('removes directories from the file name, and nothing else: %s', async (parameter, name) => {
    const header = `content-disposition: form-data; name="f"; ${parameter}`
    const { status, body } = await post(await createVault(), form(part(header, 'x')))
    expect([status, body]).toMatchObject([200, { name }])
  })

  it('reads section_id and file_id, which the parameters of the query replace', async () => {
    const vault = await createVault()
    const [one, other] = ['1', '2'].map((digit) => digit.repeat(26))
    const parts = [text('file_id', one ?? ''), file()]
    expect(await post(vault, form(...parts))).toMatchObject({ body: { id: one } })
    const { body } = await post(vault, form(...parts), { query: `file_id=${other}` })
    expect(body).toMatchObject({ id: other })
    const message = 'sectionId must be the id of a section of the item'
    expect(await post(vault, form(text('section_id', 'none'), file()))).toMatchObject({
      status: 400,
      body: { message },
    })
  })

  it('ignores text before the first boundary and after the last one', async () => {
    const vault = await createVault()
    const { status, body } = await post(vault, `preamble\r\n${form(file())}epilogue`)
    expect([status, body]).toMatchObject([200, { size: 5 }])
  })

  it.each([
    ['the form ends in the file', form(file()).slice(0, -9)],
    ['the form ends before its last boundary', form(file()).slice(0, -4)],
    ['the form ends in the header of a part', part(fileHeader, '').slice(0, 20)],
    ['the header of a part is malformed', form(part('no header', 'x'), file())],
    ['the headers of a part are too long', form(part(`x: ${'y'.repeat(17_000)}`, 'x'), file())],
    ['the header of a second part is malformed', form(file(), part('no header', 'x'))],
  ])('rejects with 400 and stores nothing when %s', (_, body) => expectRejected(body, malformed))

  it('rejects a form that ends at any byte before its end, and stores nothing', async () => {
    const vault = await createVault()
    const whole = `${text('name', 'b.txt')}${file('hello\r\n--')}--b--`
    for (let length = 0; length < whole.length; length++) {
      const size = 1 + (length % 40)
      expect(await post(vault, whole.slice(0, length), { size })).toMatchObject({ status: 400 })
    }
    await vault.expectNothingStored()
    expect(await post(vault, whole)).toMatchObject({ status: 200 })
  })

  it('stores nothing when the client disconnects in a text, in the file or after it', async () => {
    for (const body of ['--b\r\nco', form(file()).slice(0, -14), form(file())]) {
      const vault = await createVault()
      const statuses: number[] = []
      let onReached = (): void => {}
      const reached = new Promise<void>((resolve) => {
        onReached = resolve
      })
      const handler: HttpHandler = async (request) => {
        onReached()
        const response = await vault.handler(request)
        statuses.push(response.status)
        return response
      }
      await withListener(createNodeListener(handler), async (origin) => {
        const headers = { authorization: vault.authorization, 'content-type': type }
        const sent = request(origin + vault.url(''), { method: 'POST', headers })
        sent.on('error', () => {})
        sent.write(body)
        await reached
        await new Promise((resolve) => setTimeout(resolve, 30))
        sent.destroy()
        await expect.poll(() => statuses).toEqual([400])
      })
      await vault.expectNothingStored()
    }
  })

  it.each([
    ['has no file', form(text('name', 'a')), 'the form must have a file'],
    ['is empty', '', 'the form must be complete and well-formed'],
    ['has two files', form(file(), file()), 'the form must end with its only file'],
    [
      'has a text after it',
      form(file(), text('name', 'a')),
      'the form must end with its only file',
    ],
    [
      'has 17 parts',
      form(...Array(16).fill(text('x', 'y')), file()),
      'the form must have at most 16 parts',
    ],
    [
      'has a text twice',
      form(text('name', 'a'), text('name', 'b'), file()),
      'the form must not have the part name twice',
    ],
    [
      'has a long text',
      form(text('name', 'a'.repeat(4097)), file()),
      'the form must not have a text of more than 4096 bytes',
    ],
    [
      'has a text in an unknown charset',
      form(
        part('content-disposition: form-data; name=name\r\ncontent-type: a/b; charset=x', '\xff'),
        file(),
      ),
      'the form must be UTF-8',
    ],
    [
      'has a file without a name',
      form(part('content-disposition: form-data; name=f; filename=".."', 'x')),
      'name must be a string',
    ],
    [
      'has a nameless file of bytes',
      form(part('content-disposition: form-data\r\ncontent-type: application/octet-stream', 'x')),
      'name must be a string',
    ],
    [
      'begins with too much',
      `${'x'.repeat(70_000)}\r\n${form(file())}`,
      'the form must have at most 65536 bytes besides its file',
    ],
    [
      'ends with too much',
      `${form(file())}${'x'.repeat(70_000)}`,
      'the form must have at most 65536 bytes besides its file',
    ],
  ])('rejects a form with 400 and stores nothing when it %s', (_, body, message) =>
    expectRejected(body, [400, message], { size: 1000 }),
  )

  it('accepts 16 parts, and a text of 4,096 bytes', async () => {
    const parts = [text('x', 'y'.repeat(4096)), ...Array(14).fill(text('x', 'y')), file()]
    expect(await post(await createVault(), form(...parts))).toMatchObject({ status: 200 })
  })

  it('rejects texts and file names that are not UTF-8', async () => {
    for (const body of [form(text('name', 'ÿ'), file()), form(file()).replace('a.txt', 'ÿ')])
      await expectRejected(Buffer.from(body, 'latin1'), [400, 'the form must be UTF-8'])
  })

  it.each(['base64', 'quoted-printable'])('rejects a file in %s with 415', (encoding) =>
    expectRejected(form(part(`${fileHeader}\r\ncontent-transfer-encoding: ${encoding}`, 'aGk=')), [
      415,
      'the content must not be encoded',
    ]),
  )

  it.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    'multipart/form-data; boundary="a "',
    'multipart/form-data; boundary="a\\"b"',
    `multipart/form-data; boundary=${'b'.repeat(71)}`,
  ])('rejects a malformed boundary with 400: %s', (contentType) =>
    expectRejected(form(file()), [400, 'Content-Type must have a valid boundary'], { contentType }),
  )

  it.each(['Multipart/Form-Data;charset=utf-8; Boundary="b"', 'multipart/form-data ; boundary=b'])(
    'accepts %s',
    async (contentType) =>
      expect(await post(await createVault(), form(file()), { contentType })).toMatchObject({
        status: 200,
      }),
  )

  it('rejects other types of multipart with 415', () =>
    expectRejected(form(file()), [415, 'a multipart body must be multipart/form-data'], {
      contentType: 'multipart/mixed; boundary=b',
    }))

  it('counts the bytes of the file, not of the form, against maxFileBytes', async () => {
    const vault = await createVault({ maxFileBytes: 1000 })
    const { status, body } = await post(vault, form(file(' '.repeat(1000))))
    expect([status, body]).toMatchObject([200, { size: 1000 }])
    const tooLarge = await createVault({ maxFileBytes: 1000 })
    const rejection = [413, 'the content must not be larger than 1000 bytes'] as const
    await expectRejected(form(file(' '.repeat(1001))), rejection, { vault: tooLarge })
    await expectRejected(form(file(' '.repeat(70_000))), rejection, { vault: tooLarge, size: 999 })
  })

  it('rejects a form that stalls with 408, in a text, in the file and after it', async () => {
    const bodies = ['--b\r\n', form(file()).slice(0, -9), form(file())]
    for (const body of bodies) {
      const vault = await createVault({ bodyTimeoutMs: 40 })
      const stalling = new ReadableStream<Uint8Array>({ start: (c) => c.enqueue(utf8(body)) })
      const headers = { 'content-type': type }
      const sent = createRequest(vault, 'POST', vault.url(''), { body: stalling, headers })
      expect((await vault.handler(sent)).status).toBe(408)
      await vault.expectNothingStored()
    }
  })

  it('discards the body, up to the limit, when the item does not accept the file', async () => {
    const vault = await createVault({ maxFileBytes: 1_000_000 })
    let isCancelled = false
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        yield utf8(part(fileHeader, 'begins'))
        for (;;) yield new Uint8Array(65_536)
      } finally {
        isCancelled = true
      }
    }
    const headers = { 'content-type': type }
    const sent = createRequest(vault, 'POST', vault.url('section_id=none'), {
      body: body(),
      headers,
    })
    expect((await vault.handler(sent)).status).toBe(400)
    await expect.poll(() => isCancelled).toBe(true)
    await vault.expectNothingStored()
  })

  it('is not read to its end after it is rejected, and the next one is accepted', async () => {
    const vault = await createVault({ maxFileBytes: 1e9 })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const server = createServer(createNodeListener(vault.handler))
    const sockets = watchSockets(server)
    await withServer(server, async (origin) => {
      const send = async (query: string, content: string): Promise<number | undefined> => {
        const sent = request(origin + vault.url(query), {
          method: 'POST',
          agent,
          headers: { authorization: vault.authorization, 'content-type': type },
        })
        // The connection is closed while the rest is sent.
        sent.on('error', () => {})
        sent.end(form(file(content)))
        const [response] = await once(sent, 'response')
        await readText(response)
        return response.statusCode
      }
      for (let round = 0; round < 3; round++) {
        expect(await send('section_id=none', 'x'.repeat(10_000_000))).toBe(400)
        expect(await send('', 'x'.repeat(100))).toBe(200)
      }
      for (const { bytesRead } of sockets) expect(bytesRead).toBeLessThan(mostReadBytes)
    })
    agent.destroy()
  })

  it.each([
    ['the fetch mount', 1],
    ['a mount of chunks', 0],
  ])(
    'becomes chunks at most once on its way from %s into an encrypted database',
    async (_, most) => {
      const database = openNodeDatabase()
      const keys = createLocalKeyProvider({ key: new Uint8Array(32).fill(1) })
      const store = createEncryptedStore(createSqliteStore(database), { keys })
      const vault = await createUploadVault({ multipart: multipartUploads() }, store)
      const content = 'x'.repeat(1_000_000)
      const sent = utf8(form(text('name', 'a.txt'), file(content)))
      const headers = { authorization: vault.authorization, 'content-type': type }
      const body = async function* () {
        yield sent
      }
      const request = new Request(`http://vault.test${vault.url('')}`, {
        method: 'POST',
        body: sent,
        headers,
      } as RequestInit)
      const reading = vi.spyOn(ReadableStream.prototype, 'getReader')
      const iterating = vi.spyOn(ReadableStream.prototype, Symbol.asyncIterator)
      const { status } = most
        ? await createFetchHandler(vault.handler)(request)
        : await vault.handler(
            createRequest(vault, 'POST', vault.url(''), { body: body(), headers }),
          )
      expect([status, reading.mock.calls.length, iterating.mock.calls.length]).toEqual([
        200,
        most,
        0,
      ])
      vi.restoreAllMocks()
      const { files } = await vault.service.getItem(vault.caller, itemRef(vault))
      expect(await vault.contentOf(files.at(-1) as FileDetails)).toEqual(utf8(content))
      database.close()
    },
  )

  it('holds only a part of a file of 64 MiB in memory', async () => {
    const size = 1024
    let left = size
    let read = 0
    const chunk = new Uint8Array(65_536)
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (left === size) controller.enqueue(utf8(`--b\r\n${fileHeader}\r\n\r\n`))
          if (left-- > 0) controller.enqueue(chunk)
          else {
            controller.enqueue(utf8('\r\n--b--'))
            controller.close()
          }
        },
      },
      { highWaterMark: 0 },
    )
    const upload = await multipartUploads()(body, {
      contentType: type,
      maxFileBytes: Number.POSITIVE_INFINITY,
      maxOverheadBytes: 65_536,
    })
    for await (const part of upload.content as AsyncIterable<Uint8Array>) {
      read += part.length
      const ahead = (size - Math.max(left, 0)) * chunk.length - read
      expect(ahead).toBeLessThan(1_048_576)
    }
    expect(read).toBe(size * chunk.length)
  })
})
