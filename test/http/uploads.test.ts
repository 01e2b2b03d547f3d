import { describe, expect, it } from 'vitest'
import type { VaultStore } from '../../src/index.js'
import { createMemoryStore } from '../../src/storage/memory.js'
import { streamOf, utf8 } from '../support/bytes.js'
import { itemUrl, requestTo } from '../support/http/requests.js'
import { upload, uploadVault } from '../support/http/uploads.js'

describe('an upload over a socket', () => {
  it('is stored byte for byte, and described in the answer', async () => {
    const vault = await uploadVault()
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

  it('is stored as it comes: the store has the first part before the last is sent', async () => {
    const reached = Promise.withResolvers<void>()
    const { records, blobs } = createMemoryStore()
    const noticing = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        reached.resolve()
        controller.enqueue(chunk)
      },
    })
    let isWatched = false
    const write: VaultStore['blobs']['write'] = (id, content) =>
      blobs.write(id, isWatched ? content.pipeThrough(noticing) : content)
    const vault = await uploadVault({}, { records, blobs: { ...blobs, write } })
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
  ])('may be empty: %s', async (_, body) => {
    const vault = await uploadVault()
    const { status, file } = await upload(vault, body)
    expect([status, file.size]).toEqual([200, 0])
    expect(await vault.contentOf(file)).toEqual(new Uint8Array(0))
  })

  it.each(['отчёт.pdf', '報告書.txt', 'a+b & c=d.txt', '100%.txt', '🗝️', '../x', 'a"b'])(
    'keeps the name %s',
    async (name) => {
      const vault = await uploadVault()
      const { file } = await upload(vault, 'x', { query: `name=${encodeURIComponent(name)}` })
      expect(file.name).toBe(name)
    },
  )

  it('stands in a section and has an id, if they are given', async () => {
    const vault = await uploadVault()
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
  ])('is refused for the query %j', async (query, status) => {
    const vault = await uploadVault()
    expect((await upload(vault, 'x', { query })).status).toBe(status)
    await vault.expectNothingStored()
  })

  it('is refused for its body before its query is read', async () => {
    const vault = await uploadVault({ maxFileBytes: 3 })
    const query = 'name=a&name=b'
    const headers = { 'content-encoding': 'gzip' }
    expect((await upload(vault, 'abc', { query, headers })).status).toBe(415)
    expect((await upload(vault, 'abcd', { query })).status).toBe(413)
    expect((await upload(vault, 'abc', { query })).status).toBe(400)
    await vault.expectNothingStored()
  })

  it('tells how far it has come, and how far there is to go if that is known', async () => {
    const told: object[] = []
    const vault = await uploadVault({
      onUploadProgress(progress) {
        told.push(progress)
      },
    })
    await upload(vault, utf8('hello'))
    expect(told).toEqual([{ received: 5, total: 5 }])
    told.length = 0
    await upload(vault, streamOf([utf8('one'), utf8('three')]))
    expect(told.at(-1)).toEqual({ received: 8 })
  })

  it('waits for who is told before it reads on', async () => {
    const heard: string[] = []
    const vault = await uploadVault({
      async onUploadProgress({ received }) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        heard.push(`told ${received}`)
      },
    })
    async function* body() {
      yield utf8('one')
      heard.push('read')
      yield utf8('two')
    }
    const request = requestTo(vault, 'POST', vault.url(), { body: body() })
    expect((await vault.handler(request)).status).toBe(200)
    expect(heard).toEqual(['told 3', 'read', 'told 6'])
  })
})
