import { describe, expect, it } from 'vitest'
import { toStream } from '../../src/base/blob-content.js'
import type { VaultStore } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { createRequest, itemUrl } from '../support/http/requests.js'
import { createUploadVault, upload } from '../support/http/uploads.js'

describe('createHttpHandler uploads', () => {
  it('stores the bytes and returns the details of the file', async () => {
    const vault = await createUploadVault()
    const bytes = crypto.getRandomValues(new Uint8Array(60_000))
    const { status, file } = await upload(vault, bytes)
    expect([status, file]).toEqual([
      200,
      {
        id: expect.stringMatching(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/),
        name: 'a.bin',
        size: 60_000,
        content_path: itemUrl(vault, `/files/${file.id}/content`),
      },
    ])
    expect(await vault.contentOf(file)).toEqual(bytes)
  })

  it('streams an upload: the store has the first chunk before the last one is sent', async () => {
    const reached = Promise.withResolvers<void>()
    const { records, blobs } = createMemoryStore()
    const watching = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        reached.resolve()
        controller.enqueue(chunk)
      },
    })
    let isWatched = false
    const write: VaultStore['blobs']['write'] = (id, content) =>
      blobs.write(id, isWatched ? toStream(content).pipeThrough(watching) : content)
    const vault = await createUploadVault({}, { records, blobs: { ...blobs, write } })
    isWatched = true
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent++ === 0) return controller.enqueue(utf8('first '))
        await reached.promise
        controller.enqueue(utf8('last'))
        controller.close()
      },
    })
    const { status, file } = await upload(vault, body)
    expect([status, file.size]).toEqual([200, 10])
    expect(await vault.contentOf(file)).toEqual(utf8('first last'))
  })

  it.each([
    ['with a length of 0', new Uint8Array(0)],
    ['without a body', null],
    ['in no chunks', streamOf([])],
  ])('stores an empty file: %s', async (_, body) => {
    const vault = await createUploadVault()
    const { status, file } = await upload(vault, body)
    expect([status, file.size]).toEqual([200, 0])
    expect(await vault.contentOf(file)).toEqual(new Uint8Array(0))
  })

  it.each(['отчёт.pdf', '報告書.txt', 'a+b & c=d.txt', '100%.txt', '🗝️', '../x', 'a"b'])(
    'stores the name %s unchanged',
    async (name) => {
      const vault = await createUploadVault()
      const { file } = await upload(vault, 'x', { query: `name=${encodeURIComponent(name)}` })
      expect(file.name).toBe(name)
    },
  )

  it('stores a file with a given section and id', async () => {
    const vault = await createUploadVault()
    const id = '0192d3a4-5678-7abc-8def-0123456789ab'
    const { file } = await upload(vault, 'x', { query: `name=a&section_id=more&file_id=${id}` })
    expect(file).toMatchObject({ id, section: { id: 'more' } })
  })

  it.each([
    ['name=', 400],
    ['', 400],
    ['name=a&name=b', 400],
    ['name=a&section_id=none', 400],
    ['name=a&file_id=none', 400],
    ['name=%00', 400],
    ['name=%FF', 400],
  ])('rejects the query %j and stores nothing', async (query, status) => {
    const vault = await createUploadVault()
    expect((await upload(vault, 'x', { query })).status).toBe(status)
    await vault.expectNothingStored()
  })

  it('checks the headers of the body before the query', async () => {
    const vault = await createUploadVault({ maxFileBytes: 3 })
    const query = 'name=a&name=b'
    const headers = { 'content-encoding': 'gzip' }
    expect((await upload(vault, 'abc', { query, headers })).status).toBe(415)
    expect((await upload(vault, 'abcd', { query })).status).toBe(413)
    expect((await upload(vault, 'abc', { query })).status).toBe(400)
    await vault.expectNothingStored()
  })

  it('calls onUploadProgress with the received bytes, and the total when it is known', async () => {
    const calls: object[] = []
    const vault = await createUploadVault({
      onUploadProgress(progress) {
        calls.push(progress)
      },
    })
    await upload(vault, utf8('hello'))
    expect(calls).toEqual([{ received: 5, total: 5 }])
    calls.length = 0
    await upload(vault, streamOf([utf8('one'), utf8('three')]))
    expect(calls.at(-1)).toEqual({ received: 8 })
  })

  it('waits for onUploadProgress before it reads the next chunk', async () => {
    const events: string[] = []
    const vault = await createUploadVault({
      async onUploadProgress({ received }) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        events.push(`progress ${received}`)
      },
    })
    async function* body() {
      yield utf8('one')
      events.push('read')
      yield utf8('two')
    }
    const request = createRequest(vault, 'POST', vault.url(), { body: body() })
    expect((await vault.handler(request)).status).toBe(200)
    expect(events).toEqual(['progress 3', 'read', 'progress 6'])
  })
})
