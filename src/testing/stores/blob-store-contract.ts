/** What every blob store promises, as cases. */

import type { BlobStore } from '../../index.js'
import { assertEqual, type ContractCase, captureRejection } from '../contract-case.js'

const id = 'v/blob'

/** Run each case against an empty store of its own. */
export const blobStoreContract: readonly ContractCase<BlobStore>[] = [
  {
    name: 'answers undefined where nothing was written',
    async run(blobs) {
      assertEqual(await blobs.read(id), undefined, 'an empty place')
    },
  },
  {
    name: 'answers what was written, byte for byte, however it was cut',
    async run(blobs) {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) & 255)
      const cuts = [
        bytes.subarray(0, 1),
        bytes.subarray(1, 1),
        bytes.subarray(1, 200_000),
        bytes.subarray(200_000),
      ]
      await blobs.write(id, streamOf(...cuts))
      assertEqual(await readBytes(blobs), bytes, 'the content')
    },
  },
  {
    name: 'keeps an empty content, which is not the same as none',
    async run(blobs) {
      await blobs.write(id, streamOf())
      assertEqual(await readBytes(blobs), new Uint8Array(0), 'the content')
    },
  },
  {
    name: 'keeps contents of different ids apart',
    async run(blobs) {
      await blobs.write('v/a', streamOf(utf8('first')))
      await blobs.write('v/A', streamOf(utf8('second')))
      assertEqual(await readBytes(blobs, 'v/a'), utf8('first'), 'the first content')
      assertEqual(await readBytes(blobs, 'v/A'), utf8('second'), 'the second content')
    },
  },
  {
    name: 'writes nothing when the content fails, and rejects with its error',
    async run(blobs) {
      const error = new Error('the content failed')
      const seen = await captureRejection(
        blobs.write(id, failAfter(utf8('half'), error)),
        'a write of a failing content',
      )
      assertEqual(seen === error, true, 'the error is that of the content')
      assertEqual(await blobs.read(id), undefined, 'the place afterwards')
      await blobs.write(id, streamOf(utf8('whole')))
      assertEqual(await readBytes(blobs), utf8('whole'), 'the content that came after')
    },
  },
  {
    name: 'shows nothing of a content before it is whole',
    async run(blobs) {
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
      const done = blobs.write(id, readable)
      const writer = writable.getWriter()
      await writer.write(utf8('half'))
      assertEqual(await blobs.read(id), undefined, 'the place while the content is coming')
      await writer.close()
      await done
      assertEqual(await readBytes(blobs), utf8('half'), 'the content')
    },
  },
  {
    name: 'refuses an id that is taken, and leaves what is there',
    async run(blobs) {
      await blobs.write(id, streamOf(utf8('first')))
      await captureRejection(blobs.write(id, streamOf(utf8('second'))), 'a second write')
      assertEqual(await readBytes(blobs), utf8('first'), 'the content')
    },
  },
  {
    name: 'lets one of two concurrent writers of an id win',
    async run(blobs) {
      const writers = ['one', 'two'].map((name) => blobs.write(id, streamOf(utf8(name))))
      const winners = (await Promise.allSettled(writers)).map(
        ({ status }) => status === 'fulfilled',
      )
      assertEqual(winners.filter(Boolean).length, 1, 'winners')
      assertEqual(
        await readBytes(blobs),
        utf8(winners[0] ? 'one' : 'two'),
        'the content of the winner',
      )
    },
  },
  {
    name: 'deletes a content, and does nothing where there is none',
    async run(blobs) {
      await blobs.delete(id)
      await blobs.write(id, streamOf(utf8('gone')))
      await blobs.delete(id)
      assertEqual(await blobs.read(id), undefined, 'the place afterwards')
    },
  },
  {
    name: 'can be read again, by several readers at once, one of whom stops early',
    async run(blobs) {
      await blobs.write(id, streamOf(utf8('again')))
      const stopped = await blobs.read(id)
      await stopped?.cancel()
      const readers = await Promise.all([readBytes(blobs), readBytes(blobs)])
      assertEqual(readers, [utf8('again'), utf8('again')], 'the contents')
    },
  },
  {
    name: 'owns what it keeps: bytes that are changed outside change nothing inside',
    async run(blobs) {
      const bytes = utf8('mine')
      await blobs.write(id, streamOf(bytes))
      bytes.fill(0)
      assertEqual(await readBytes(blobs), utf8('mine'), 'after the writer changed his bytes')
      const reader = (await blobs.read(id))?.getReader()
      ;(await reader?.read())?.value?.fill(0)
      await reader?.cancel()
      assertEqual(await readBytes(blobs), utf8('mine'), 'after a reader changed his')
    },
  },
]

function utf8(words: string): Uint8Array {
  return new TextEncoder().encode(words)
}

function streamOf(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

function failAfter(chunk: Uint8Array, error: Error): ReadableStream<Uint8Array> {
  let begun = false
  return new ReadableStream({
    pull(controller) {
      if (begun) controller.error(error)
      else controller.enqueue(chunk)
      begun = true
    },
  })
}

/** What stands under the id, read by hand so that the bytes are those the store has handed out. */
async function readBytes(blobs: BlobStore, blobId = id): Promise<Uint8Array | undefined> {
  const reader = (await blobs.read(blobId))?.getReader()
  if (reader === undefined) return undefined
  const chunks: number[] = []
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    for (const byte of read.value) chunks.push(byte)
  }
  return Uint8Array.from(chunks)
}
