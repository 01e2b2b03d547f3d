import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createFetchHandler } from '../src/adapters/fetch.js'
import { toChunks } from '../src/base/blob-content.js'
import type { BlobContent, VaultStore } from '../src/index.js'
import { createVaultService } from '../src/index.js'
import { createEncryptedStore, createLocalKeyProvider } from '../src/storage/encrypted.js'
import { createMemoryStore } from '../src/storage/memory.js'
import { readBytes, utf8 } from './support/bytes.js'
import { createHttpHandler, createTestVault } from './support/http/checked-handlers.js'
import { createRequest } from './support/http/requests.js'
import { createUploadVault, type UploadVault } from './support/http/uploads.js'
import { inTime } from './support/http/wire.js'
import { fileRef, itemRef } from './support/items/refs.js'

const reason = new Error('enough')

/** A stream that hangs after these chunks, and a promise of the reason that it is cancelled with. */
function stall(...chunks: readonly Uint8Array[]): {
  readonly content: ReadableStream<Uint8Array>
  readonly cancelled: Promise<unknown>
} {
  const left = [...chunks]
  let content = new ReadableStream<Uint8Array>()
  const cancelled = new Promise((resolve) => {
    content = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const chunk = left.shift()
          if (chunk === undefined) await new Promise(() => {})
          else controller.enqueue(chunk)
        },
        cancel: resolve,
      },
      { highWaterMark: 0 },
    )
  })
  return { content, cancelled }
}

/** The same as a generator, which notices nothing while it hangs, over a source that can be told. */
function stallGenerator(...chunks: readonly Uint8Array[]) {
  const source = stall(...chunks)
  const stream = toChunks(source.content)
  async function* generate(): AsyncGenerator<Uint8Array> {
    for await (const chunk of stream) yield chunk
  }
  return { content: toChunks(generate(), stream.return), cancelled: source.cancelled }
}

/** A stream of Node that hangs after these chunks, and a promise that it is closed. */
function stallNode(...chunks: readonly Uint8Array[]) {
  const content = new PassThrough()
  for (const chunk of chunks) content.write(chunk)
  return { content, cancelled: once(content, 'close') }
}

function withContent({ records, blobs }: VaultStore, content: BlobContent): VaultStore {
  return { records, blobs: { ...blobs, read: async () => content } }
}

const stores: readonly (readonly [name: string, create: () => VaultStore])[] = [
  ['a memory store', createMemoryStore],
  [
    'an encrypted store',
    () => {
      const keys = createLocalKeyProvider({ key: crypto.getRandomValues(new Uint8Array(32)) })
      return createEncryptedStore(createMemoryStore(), { keys })
    },
  ],
]

describe.each(stores)('an upload of a stream of Node that hangs into %s', (_, createStore) => {
  it('is rejected, and closes a stream of Node, when the store does not go on', async () => {
    const vault = await createTestVault({ store: createStore() })
    const { records, blobs } = vault.store
    const write: typeof blobs.write = async (_id, content) => {
      if (!(content instanceof Uint8Array)) await content[Symbol.asyncIterator]().next()
      await new Promise(() => {})
    }
    const store = { records, blobs: { ...blobs, write } }
    const service = createVaultService({ store, storeTimeoutMs: 50 })
    const { content, cancelled } = stallNode(utf8('hel'))
    const attaching = service.attachFile(vault.caller, { ...itemRef(vault), name: 'a', content })
    await expect(inTime('the rejection', attaching)).rejects.toMatchObject({ status: 503 })
    await inTime('the closing', cancelled)
  })
})

describe('a download from a store that never yields', () => {
  it.each([
    ['a stream of Node', stallNode],
    ['chunks', stallGenerator],
  ])('releases %s with its stream, and with the response to HEAD', async (_, create) => {
    const vault = await createTestVault()
    const [one, other] = [create(utf8('hel')), create(utf8('hel'))]
    const contents = [one.content, other.content]
    const { records, blobs } = vault.store
    const read = async () => contents.shift()
    const store = { records, blobs: { ...blobs, read } }
    const service = createVaultService({ store })
    const file = await service.readFileContent(vault.caller, fileRef(vault))
    const reader = file.content.getReader()
    expect((await reader.read()).value).toHaveLength(3)
    const pending = reader.read()
    await inTime('the end of the stream', reader.cancel(reason))
    expect(await pending).toEqual({ done: true, value: undefined })
    await inTime('the release', one.cancelled)
    const handler = createHttpHandler(service, { authenticate: () => vault.caller })
    const path = vault.smallFile.content_path
    const response = await handler(createRequest(vault, 'HEAD', path))
    expect(response).toMatchObject({ status: 200, body: null })
    await inTime('the release', other.cancelled)
  })

  it('is cancelled with its stream', async () => {
    const vault = await createTestVault()
    const { content, cancelled } = stall(utf8('hel'))
    const service = createVaultService({ store: withContent(vault.store, content) })
    const file = await service.readFileContent(vault.caller, fileRef(vault))
    const reader = file.content.getReader()
    expect((await reader.read()).value).toEqual(utf8('hel'))
    const pending = reader.read()
    await inTime('the end of the stream', reader.cancel(reason))
    expect(await inTime('the cancellation', cancelled)).toBe(reason)
    expect(await pending).toEqual({ done: true, value: undefined })
  })

  it('is cancelled with its stream when it is encrypted', async () => {
    const inner = createMemoryStore()
    const keys = createLocalKeyProvider({ key: crypto.getRandomValues(new Uint8Array(32)) })
    const whole = new Uint8Array(200_000)
    const id = `${'v'.repeat(26)}/a`
    const writing = createEncryptedStore(inner, { keys })
    await writing.blobs.write(id, whole)
    const envelope = await inner.blobs.read(`${id}.sealed`)
    if (envelope === undefined) expect.fail('nothing was written')
    const { content, cancelled } = stall((await readBytes(envelope)).subarray(0, 70_000))
    const { blobs } = createEncryptedStore(withContent(inner, content), { keys })
    const stream = await inTime('the first chunk', blobs.read(id))
    if (stream === undefined || stream instanceof Uint8Array) expect.fail('no chunks')
    const chunks = stream[Symbol.asyncIterator]() as AsyncGenerator<Uint8Array>
    expect((await chunks.next()).value).toHaveLength(65_536)
    const pending = chunks.next()
    await inTime('the end of the chunks', chunks.return(reason))
    expect(await inTime('the cancellation', cancelled)).toBe(reason)
    expect(await pending).toEqual({ done: true, value: undefined })
  })
})

describe('a request whose body never yields', () => {
  it.each([
    ['of bytes', [utf8('hel')]],
    ['of bytes that has not begun', []],
  ])('is released after bodyTimeoutMs: %s', async (_, chunks) => {
    const vault = await createUploadVault({ bodyTimeoutMs: 20 })
    const { content, cancelled } = stall(...chunks)
    const response = createFetchHandler(vault.handler)(uploadRequest(vault, content))
    expect((await inTime('the response', response)).status).toBe(408)
    await inTime('the cancellation', cancelled)
    await vault.expectNothingStored()
  })

  it('is released when the store fails', async () => {
    const { records, blobs } = createMemoryStore()
    let isBroken = false
    const write: VaultStore['blobs']['write'] = async (id, content) => {
      if (!isBroken || content instanceof Uint8Array) return blobs.write(id, content)
      await content[Symbol.asyncIterator]().next()
      throw new Error('no space left')
    }
    const store = { records, blobs: { ...blobs, write } }
    const vault = await createUploadVault({}, store)
    isBroken = true
    const { content, cancelled } = stall(utf8('hello'))
    const response = createFetchHandler(vault.handler)(uploadRequest(vault, content))
    expect((await inTime('the response', response)).status).toBe(500)
    await inTime('the cancellation', cancelled)
  })
})

function uploadRequest(vault: UploadVault, body: ReadableStream<Uint8Array>): Request {
  return new Request(`http://vault.test${vault.url()}`, {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { authorization: vault.authorization, 'content-type': 'application/octet-stream' },
  } as RequestInit)
}
