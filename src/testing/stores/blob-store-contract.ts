/** The contract of a blob store. */

import { anyStore } from '../../base/argument.js'
import { settleAll } from '../../base/batches.js'
import { collectBytes } from '../../base/concat-bytes.js'
import {
  assertEqual,
  type ContractCase,
  captureRejection,
  checkSubjects,
} from '../../base/contract-case.js'
import type { BlobContent, BlobStore } from '../../index.js'
import { chunksOf, failAfter, pauseAfter, plainIterable } from './contents.js'

const id = 'v/blob'

const cases: readonly ContractCase<BlobStore>[] = [
  {
    name: 'returns undefined for a blob that was never written',
    async run(blobs) {
      await assertMissing(blobs, 'an unwritten id')
    },
  },
  {
    name: 'returns the written content byte for byte, however it was chunked',
    async run(blobs) {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) & 255)
      const chunks = [
        bytes.subarray(0, 1),
        bytes.subarray(1, 1),
        bytes.subarray(1, 200_000),
        bytes.subarray(200_000),
      ]
      await blobs.write(id, chunksOf(...chunks))
      assertEqual(await readBytes(blobs), bytes, 'the content')
    },
  },
  {
    name: 'stores an empty blob, which differs from no blob',
    async run(blobs) {
      await blobs.write(id, chunksOf())
      assertEqual(await readBytes(blobs), new Uint8Array(0), 'the content')
    },
  },
  {
    name: 'keeps blobs of different ids separate',
    async run(blobs) {
      await blobs.write('v/a', chunksOf(utf8('first')))
      await blobs.write('v/A', chunksOf(utf8('second')))
      assertEqual(await readBytes(blobs, 'v/a'), utf8('first'), 'the first content')
      assertEqual(await readBytes(blobs, 'v/A'), utf8('second'), 'the second content')
    },
  },
  {
    name: 'writes nothing when the content fails, and rejects with its error',
    async run(blobs) {
      const error = new Error('the content fails')
      const rejection = await captureRejection(
        blobs.write(id, failAfter(utf8('half'), error)),
        'a write of a failing content',
      )
      assertEqual(rejection === error, true, 'the error is that of the content')
      await assertMissing(blobs, 'the blob afterwards')
      await blobs.write(id, chunksOf(utf8('whole')))
      assertEqual(await readBytes(blobs), utf8('whole'), 'the content of the next write')
    },
  },
  {
    name: 'does not expose a blob before it is complete',
    async run(blobs) {
      const { content, isHalfRead, end } = pauseAfter(utf8('half'))
      const done = blobs.write(id, content)
      const early = done.then(() => {
        throw new Error('the write resolved before its content had ended')
      })
      try {
        await Promise.race([isHalfRead, early])
        await assertMissing(blobs, 'the blob during the write')
      } catch (error) {
        // A store that is then closed need not wait for the rest of the content.
        end(error)
        await early.catch(() => {})
        throw error
      }
      early.catch(() => {})
      end()
      await done
      assertEqual(await readBytes(blobs), utf8('half'), 'the content')
    },
  },
  {
    name: 'rejects a write to an existing id and leaves the blob unchanged',
    async run(blobs) {
      await blobs.write(id, chunksOf(utf8('first')))
      await captureRejection(blobs.write(id, chunksOf(utf8('second'))), 'a second write')
      assertEqual(await readBytes(blobs), utf8('first'), 'the content')
    },
  },
  {
    name: 'lets exactly one of two concurrent writers of an id win',
    async run(blobs) {
      const writers = ['one', 'two'].map((name) => blobs.write(id, chunksOf(utf8(name))))
      const winners = (await Promise.allSettled(writers)).map(
        ({ status }) => status === 'fulfilled',
      )
      assertEqual(winners.filter(Boolean).length, 1, 'winners')
      const winner = winners[0] ? 'one' : 'two'
      assertEqual(await readBytes(blobs), utf8(winner), 'the content of the winner')
    },
  },
  {
    name: 'deletes a blob, and does nothing if it does not exist',
    async run(blobs) {
      await blobs.delete(id)
      await blobs.write(id, chunksOf(utf8('gone')))
      await blobs.delete(id)
      await assertMissing(blobs, 'the blob afterwards')
    },
  },
  {
    name: 'can be read repeatedly and concurrently, even after a reader that stopped early',
    async run(blobs) {
      await blobs.write(id, chunksOf(utf8('again')))
      await stopEarly(await blobs.read(id))
      const readers = await settleAll([readBytes(blobs), readBytes(blobs)])
      assertEqual(readers, [utf8('again'), utf8('again')], 'the contents')
    },
  },
  {
    name: 'is not affected when a writer or a reader modifies its bytes',
    async run(blobs) {
      const bytes = utf8('mine')
      await blobs.write(id, chunksOf(bytes))
      bytes.fill(0)
      assertEqual(await readBytes(blobs), utf8('mine'), 'after the writer modified its bytes')
      const content = await blobs.read(id)
      // Bytes that are not a chunk are never modified.
      if (content === undefined || content instanceof Uint8Array) return
      for await (const chunk of content) chunk.fill(0)
      assertEqual(await readBytes(blobs), utf8('mine'), 'after a reader modified its chunk')
    },
  },
  {
    name: 'stores content that is passed as bytes, like that in chunks',
    async run(blobs) {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 31) & 255)
      for (const length of [0, 5, 300_000]) {
        // This is a part of a larger buffer. The bytes around it do not belong to the content.
        const content = bytes.subarray(bytes.length - length)
        await blobs.write(`v/${length}`, content)
        assertEqual(await readBytes(blobs, `v/${length}`), content, `${length} bytes`)
      }
      await captureRejection(blobs.write('v/5', utf8('other')), 'a second write')
      assertEqual((await readBytes(blobs, 'v/5'))?.length, 5, 'the bytes after a second write')
    },
  },
  {
    name: 'stores content of any async iterable, such as a ReadableStream',
    async run(blobs) {
      const chunks = [utf8('any '), utf8('iterable')]
      await blobs.write('v/iterable', plainIterable(...chunks))
      await blobs.write('v/stream', new Blob(chunks).stream())
      for (const name of ['v/iterable', 'v/stream'])
        assertEqual(await readBytes(blobs, name), utf8('any iterable'), `the content of ${name}`)
    },
  },
  {
    name: 'stores contents of 4,000,000 bytes',
    async run(blobs) {
      const bytes = new Uint8Array(4_000_000).map((_, index) => index * 31)
      const chunks = Array.from({ length: 40 }, (_, index) =>
        bytes.subarray(index * 100_000, (index + 1) * 100_000),
      )
      await blobs.write('v/chunks', chunksOf(...chunks))
      await blobs.write('v/bytes', bytes)
      for (const name of ['v/chunks', 'v/bytes'])
        assertEqual(await readBytes(blobs, name), bytes, `the content of ${name}`)
    },
  },
  {
    name: 'never modifies bytes that it has returned',
    async run(blobs) {
      await blobs.write(id, chunksOf(utf8('first')))
      await blobs.write('v/other', chunksOf(utf8('other')))
      const content = await blobs.read(id)
      await readBytes(blobs, 'v/other')
      await blobs.delete(id)
      await blobs.write(id, chunksOf(utf8('again')))
      await readBytes(blobs)
      if (!(content instanceof Uint8Array)) return stopEarly(content)
      assertEqual(new Uint8Array(content), utf8('first'), 'bytes after later calls')
    },
  },
]

/** The promises of every blob store, as cases. Run each case against a new, empty store. */
export const blobStoreContract: readonly ContractCase<BlobStore>[] = checkSubjects(
  cases,
  anyStore.blobs,
  'blobs',
)

/**
 * Requires that the blob does not exist. Releases what a broken store returns, such as an open
 * file.
 */
async function assertMissing(blobs: BlobStore, label: string): Promise<void> {
  const content = await blobs.read(id)
  await stopEarly(content)
  assertEqual(content, undefined, label)
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

/**
 * Reads a blob chunk by chunk and copies its bytes, so that the store's own chunks are compared.
 */
async function readBytes(blobs: BlobStore, blobId = id): Promise<Uint8Array | undefined> {
  const content = await blobs.read(blobId)
  if (content === undefined || content instanceof Uint8Array)
    return content && new Uint8Array(content)
  return collectBytes(copyChunks(content))
}

async function* copyChunks(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) yield new Uint8Array(chunk)
}

/** Requests one chunk of a content and no more. Nothing is left open then. */
async function stopEarly(content: BlobContent | undefined): Promise<void> {
  if (content === undefined || content instanceof Uint8Array) return
  for await (const _ of content) break
}
