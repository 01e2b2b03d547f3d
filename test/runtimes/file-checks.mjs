/** Checks of files: content is streamed, complete or not at all. */

import { ContentTooLargeError } from 'cofferkit'
import { createMemoryStore } from 'cofferkit/memory'
import {
  assert,
  assertEqual,
  assertRejects,
  bytesOf,
  equalBytes,
  patternOf,
  streamOf,
} from './check.mjs'
import { createSubject } from './subject.mjs'

const bytes = patternOf(300_000)

/** Checks with a new subject each. */
export const fileChecks = [
  {
    name: 'attaches a file from a stream and reads it back as one',
    async run({ service, owner, ref }) {
      const content = streamOf(bytes, [1, 70_000, 3, 65_536])
      const file = await service.attachFile(owner, { ...ref, name: 'scan.bin', content })
      assertEqual(file.size, bytes.length, 'the size')
      const read = await service.readFileContent(owner, { ...ref, fileId: file.id })
      assertEqual([read.name, read.size], ['scan.bin', bytes.length], 'name and size')
      assert(equalBytes(await bytesOf(read.content), bytes), 'the bytes differ')
    },
  },
  {
    name: 'inlines a small file, and rejects inlining of a large one',
    async run({ service, owner, ref }) {
      const attach = async (content) => {
        const { id: fileId } = await service.attachFile(owner, { ...ref, name: 'f', content })
        return service.getFileDetails(owner, { ...ref, fileId, inlineFiles: true })
      }
      assertEqual(
        (await attach(new TextEncoder().encode('hello'))).content,
        'aGVsbG8=',
        'the content',
      )
      assertEqual((await attach(new Uint8Array(0))).content, '', 'the content of an empty file')
      const kilobyte = patternOf(1024)
      assertEqual(
        (await attach(kilobyte)).content,
        btoa(String.fromCharCode(...kilobyte)),
        'a full KB',
      )
      await assertRejects(attach(patternOf(1025)), ContentTooLargeError, 'CONTENT_TOO_LARGE')
    },
  },
  {
    name: 'stores nothing of a file whose stream fails, and rejects with its error',
    async run({ service, owner, ref, vaultId }) {
      const failure = new Error('the stream failed')
      let isFirst = true
      const content = new ReadableStream({
        pull(controller) {
          if (isFirst) controller.enqueue(bytes)
          else controller.error(failure)
          isFirst = false
        },
      })
      const attaching = service.attachFile(owner, { ...ref, name: 'scan.bin', content })
      const error = await attaching.catch((reason) => reason)
      assert(error === failure, `rejects with ${error}`)
      assertEqual(await service.listFiles(owner, ref), [], 'the files')
      assertEqual(await service.collectGarbage(owner, { vaultId }), 0, 'orphaned blobs')
    },
  },
  {
    name: 'releases a download that is cancelled',
    async run({ service, owner, ref }) {
      const { id: fileId } = await service.attachFile(owner, {
        ...ref,
        name: 'f',
        content: bytes,
      })
      const { content } = await service.readFileContent(owner, { ...ref, fileId })
      const reader = content.getReader()
      const { value } = await reader.read()
      assert(value instanceof Uint8Array && value.length > 0, 'a first chunk of bytes')
      await reader.cancel()
      const again = await service.readFileContent(owner, { ...ref, fileId })
      assert(equalBytes(await bytesOf(again.content), bytes), 'the bytes differ')
    },
  },
  {
    name: 'releases an upload whose source never yields when the store fails',
    async run() {
      const { records, blobs } = createMemoryStore()
      const { content, cancelled } = stall(bytes)
      const write = async (_id, chunks) => {
        const iterator = chunks[Symbol.asyncIterator]()
        await iterator.next()
        // Still pending when the store gives up.
        iterator.next().catch(() => {})
        throw new Error('the disk is full')
      }
      const { service, owner, ref } = await createSubject({ records, blobs: { ...blobs, write } })
      const attaching = service.attachFile(owner, { ...ref, name: 'f', content })
      const error = await withinASecond(attaching.catch((reason) => reason))
      assertEqual(error.code, 'STORAGE_FAILED', 'the error')
      await withinASecond(cancelled)
    },
  },
  {
    name: 'releases a download whose source never yields',
    async run() {
      const { records, blobs } = createMemoryStore()
      const { content, cancelled } = stall(bytes.slice(0, 100_000))
      const store = { records, blobs: { ...blobs, read: async () => content } }
      const { service, owner, ref } = await createSubject(store)
      const { id: fileId } = await service.attachFile(owner, { ...ref, name: 'f', content: bytes })
      const file = await service.readFileContent(owner, { ...ref, fileId })
      const reader = file.content.getReader()
      assertEqual((await reader.read()).value.length, 100_000, 'the first chunk')
      const pending = reader.read()
      await withinASecond(reader.cancel('enough'))
      assertEqual(await withinASecond(cancelled), 'enough', 'the reason')
      assertEqual((await withinASecond(pending)).done, true, 'the end')
    },
  },
  {
    name: 'streams an upload and a download over HTTP',
    async run({ request, vaultId, itemId }) {
      const files = `/vaults/${vaultId}/items/${itemId}/files`
      const body = streamOf(bytes, [50_000, 1])
      const posted = await request('POST', `${files}?name=Grundbuch%20%C3%A4.bin`, {
        body,
        duplex: 'half',
        headers: { 'content-type': 'application/octet-stream' },
      })
      assertEqual(posted.status, 200, 'the status')
      const { id, size, content_path } = await posted.json()
      assertEqual([size, content_path], [bytes.length, `/v1${files}/${id}/content`], 'the details')
      const response = await request('GET', `${files}/${id}/content`)
      assertEqual(response.headers.get('content-length'), String(bytes.length), 'the length')
      const disposition = response.headers.get('content-disposition')
      assertEqual(disposition.endsWith("UTF-8''Grundbuch%20%C3%A4.bin"), true, 'the name')
      assert(equalBytes(await bytesOf(response.body), bytes), 'the bytes differ')
    },
  },
  {
    name: 'returns 413 for a file that is too large to inline over HTTP',
    async run({ service, owner, ref, request, vaultId, itemId }) {
      const { id } = await service.attachFile(owner, { ...ref, name: 'f', content: bytes })
      const file = `/vaults/${vaultId}/items/${itemId}/files/${id}`
      assertEqual((await request('GET', file)).status, 200, 'the status without the content')
      const response = await request('GET', `${file}?inline_files=true`)
      assertEqual((await response.json()).status, 413, 'the status with it')
    },
  },
]

/** Returns a stream that hangs after one chunk, and the reason that it is cancelled with. */
function stall(chunk) {
  let content
  let isSent = false
  const cancelled = new Promise((resolve) => {
    content = new ReadableStream({
      pull(controller) {
        if (isSent) return new Promise(() => {})
        isSent = true
        controller.enqueue(chunk)
      },
      cancel: resolve,
    })
  })
  return { content, cancelled }
}

/** @throws Error if the promise has not settled after a second. */
function withinASecond(promise) {
  const late = new Promise((_, reject) => {
    setTimeout(() => reject(new Error('it took more than a second')), 1000)
  })
  return Promise.race([promise, late])
}
