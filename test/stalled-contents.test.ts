import { multipartUploads } from 'cofferkit/multipart'
import { describe, expect, it } from 'vitest'
import { createFetchHandler } from '../src/adapters/fetch.js'
import type { BlobContent, VaultStore } from '../src/index.js'
import { createVaultService } from '../src/index.js'
import { createEncryptedStore, createLocalKeyProvider } from '../src/storage/encrypted.js'
import { createMemoryStore } from '../src/storage/memory.js'
import { readBytes, utf8 } from './support/bytes.js'
import { createTestVault } from './support/http/checked-handlers.js'
import { createUploadVault } from './support/http/uploads.js'
import { inTime } from './support/http/wire.js'
import { fileRef } from './support/items/refs.js'

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

function withContent({ records, blobs }: VaultStore, content: BlobContent): VaultStore {
  return { records, blobs: { ...blobs, read: async () => content } }
}

describe('a download from a store that never yields', () => {
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
    if (stream === undefined || stream instanceof Uint8Array) expect.fail('no stream')
    const reader = stream.getReader()
    expect((await reader.read()).value).toHaveLength(65_536)
    const pending = reader.read()
    await inTime('the end of the stream', reader.cancel(reason))
    expect(await inTime('the cancellation', cancelled)).toBe(reason)
    expect(await pending).toEqual({ done: true, value: undefined })
  })
})

describe('a request whose body never yields', () => {
  const form = '--b\r\ncontent-disposition: form-data; name="f"; filename="a"\r\n\r\n'
  it.each([
    ['of bytes', 'application/octet-stream', [utf8('hel')]],
    ['of bytes that has not begun', 'application/octet-stream', []],
    ['of a form', 'multipart/form-data; boundary=b', [utf8(`${form}hel`)]],
    ['of a form that has not begun', 'multipart/form-data; boundary=b', []],
  ])('is released after bodyTimeoutMs: %s', async (_, type, chunks) => {
    const vault = await createUploadVault({ bodyTimeoutMs: 20, multipart: multipartUploads() })
    const { content, cancelled } = stall(...chunks)
    const request = new Request(`http://vault.test${vault.url()}`, {
      method: 'POST',
      body: content,
      duplex: 'half',
      headers: { authorization: vault.authorization, 'content-type': type },
    } as RequestInit)
    const response = createFetchHandler(vault.handler)(request)
    expect((await inTime('the response', response)).status).toBe(408)
    await inTime('the cancellation', cancelled)
    await vault.expectNothingStored()
  })

  it.each([
    ['of bytes', 'application/octet-stream', 'hello'],
    ['of a form', 'multipart/form-data; boundary=b', `${form}hello`],
  ])('is released when the store fails: %s', async (_, type, begin) => {
    const { records, blobs } = createMemoryStore()
    let isBroken = false
    const write: VaultStore['blobs']['write'] = async (id, content) => {
      if (!isBroken || content instanceof Uint8Array) return blobs.write(id, content)
      await content.getReader().read()
      throw new Error('no space left')
    }
    const store = { records, blobs: { ...blobs, write } }
    const vault = await createUploadVault({ multipart: multipartUploads() }, store)
    isBroken = true
    const { content, cancelled } = stall(utf8(begin))
    const request = new Request(`http://vault.test${vault.url()}`, {
      method: 'POST',
      body: content,
      duplex: 'half',
      headers: { authorization: vault.authorization, 'content-type': type },
    } as RequestInit)
    const response = createFetchHandler(vault.handler)(request)
    expect((await inTime('the response', response)).status).toBe(500)
    await inTime('the cancellation', cancelled)
  })
})
