/** That files go into a vault and come out of it as streams, whole or not at all. */

import { ContentTooLargeError } from 'cofferkit'
import { bytesOf, equalBytes, holds, patternOf, refused, same, streamOf } from './check.mjs'

const bytes = patternOf(300_000)

/** Checks of a subject that is made for each. */
export const fileChecks = [
  {
    name: 'attaches a file from a stream and reads it back as one',
    async run({ service, owner, place }) {
      const content = streamOf(bytes, [1, 70_000, 3, 65_536])
      const file = await service.attachFile(owner, { ...place, name: 'scan.bin', content })
      same(file.size, bytes.length, 'the size')
      const read = await service.readFileContent(owner, { ...place, fileId: file.id })
      same([read.name, read.size], ['scan.bin', bytes.length], 'name and size')
      holds(equalBytes(await bytesOf(read.content), bytes), 'the bytes are others')
    },
  },
  {
    name: 'answers a small file inline, and refuses to inline a large one',
    async run({ service, owner, place }) {
      const attach = async (content) => {
        const { id: fileId } = await service.attachFile(owner, { ...place, name: 'f', content })
        return service.getFileDetails(owner, { ...place, fileId, inlineFiles: true })
      }
      same((await attach(new TextEncoder().encode('hello'))).content, 'aGVsbG8=', 'the content')
      same((await attach(new Uint8Array(0))).content, '', 'the content of an empty file')
      const kilobyte = patternOf(1024)
      same((await attach(kilobyte)).content, btoa(String.fromCharCode(...kilobyte)), 'a full KB')
      await refused(attach(patternOf(1025)), ContentTooLargeError, 'CONTENT_TOO_LARGE')
    },
  },
  {
    name: 'keeps nothing of a file whose stream fails, and passes its error on',
    async run({ service, owner, place, vaultId }) {
      const failure = new Error('the stream failed')
      let isFirst = true
      const content = new ReadableStream({
        pull(controller) {
          if (isFirst) controller.enqueue(bytes)
          else controller.error(failure)
          isFirst = false
        },
      })
      const attaching = service.attachFile(owner, { ...place, name: 'scan.bin', content })
      const error = await attaching.catch((reason) => reason)
      holds(error === failure, `rejects with ${error}`)
      same(await service.listFiles(owner, place), [], 'the files')
      same(await service.collectGarbage(owner, { vaultId }), 0, 'what is left behind')
    },
  },
  {
    name: 'lets go of a file that nobody reads to its end',
    async run({ service, owner, place }) {
      const { id: fileId } = await service.attachFile(owner, {
        ...place,
        name: 'f',
        content: bytes,
      })
      const { content } = await service.readFileContent(owner, { ...place, fileId })
      const reader = content.getReader()
      const { value } = await reader.read()
      holds(value instanceof Uint8Array && value.length > 0, 'a first chunk of bytes')
      await reader.cancel()
      const again = await service.readFileContent(owner, { ...place, fileId })
      holds(equalBytes(await bytesOf(again.content), bytes), 'the bytes are others')
    },
  },
  {
    name: 'takes an upload over HTTP as it comes, and answers a download',
    async run({ ask, vaultId, itemId }) {
      const files = `/vaults/${vaultId}/items/${itemId}/files`
      const body = streamOf(bytes, [50_000, 1])
      const posted = await ask('POST', `${files}?name=Grundbuch%20%C3%A4.bin`, {
        body,
        duplex: 'half',
        headers: { 'content-type': 'application/octet-stream' },
      })
      same(posted.status, 200, 'the status')
      const { id, size, content_path } = await posted.json()
      same([size, content_path], [bytes.length, `/v1${files}/${id}/content`], 'the details')
      const answer = await ask('GET', `${files}/${id}/content`)
      same(answer.headers.get('content-length'), String(bytes.length), 'the length')
      const disposition = answer.headers.get('content-disposition')
      same(disposition.endsWith("UTF-8''Grundbuch%20%C3%A4.bin"), true, 'the name')
      holds(equalBytes(await bytesOf(answer.body), bytes), 'the bytes are others')
    },
  },
  {
    name: 'answers 413 to what is too large to be inlined over HTTP',
    async run({ service, owner, place, ask, vaultId, itemId }) {
      const { id } = await service.attachFile(owner, { ...place, name: 'f', content: bytes })
      const file = `/vaults/${vaultId}/items/${itemId}/files/${id}`
      same((await ask('GET', file)).status, 200, 'the status without the content')
      const answer = await ask('GET', `${file}?inline_files=true`)
      same((await answer.json()).status, 413, 'the status with it')
    },
  },
]
