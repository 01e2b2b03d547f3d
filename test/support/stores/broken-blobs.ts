/** Blob stores with one defect each, and the case of the contract that sees it. */

import type { BlobStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import type { BrokenTwin } from '../broken-variant.js'
import { streamOf } from '../bytes.js'

type Store = () => BlobStore

const ownership = 'owns what it keeps: bytes that are changed outside change nothing inside'

/** One for every case of `blobStoreContract`. */
export const brokenBlobStores: readonly BrokenTwin<Store>[] = [
  twin('answers undefined where nothing was written', /^an empty place/, (inner) => ({
    read: async (id) => (await inner.read(id)) ?? streamOf([]),
  })),
  twin('answers what was written, byte for byte, however it was cut', /^the content/, (inner) => ({
    write: async (id, content) => inner.write(id, streamOf((await chunksOf(content)).slice(0, 3))),
  })),
  twin('keeps an empty content, which is not the same as none', /^the content/, (inner) => ({
    read: async (id) => {
      const content = await inner.read(id)
      const chunks = content && (await chunksOf(content))
      return chunks?.length ? streamOf(chunks) : undefined
    },
  })),
  twin('keeps contents of different ids apart', /already exists/, (inner) => ({
    read: (id) => inner.read(id.toLowerCase()),
    write: (id, content) => inner.write(id.toLowerCase(), content),
  })),
  twin(
    'writes nothing when the content fails, and rejects with its error',
    /^the place afterwards/,
    (inner) => ({
      write: async (id, content) => {
        const chunks: Uint8Array[] = []
        try {
          for await (const chunk of content) chunks.push(chunk)
        } finally {
          await inner.write(id, streamOf(chunks))
        }
      },
    }),
  ),
  twin(
    'writes nothing when the content fails, and rejects with its error',
    /^the error is/,
    (inner) => ({
      write: (id, content) =>
        inner.write(id, content).catch(() => Promise.reject(new Error('the write failed'))),
    }),
  ),
  twin('shows nothing of a content before it is whole', /^the place while/, (inner) => {
    const coming = new Map<string, Uint8Array[]>()
    return {
      read: async (id) => (coming.has(id) ? streamOf(coming.get(id) ?? []) : inner.read(id)),
      write: async (id, content) => {
        const chunks: Uint8Array[] = []
        const expectedVersion = content.pipeThrough(
          new TransformStream<Uint8Array, Uint8Array>({
            transform(chunk, controller) {
              chunks.push(chunk)
              coming.set(id, chunks)
              controller.enqueue(chunk)
            },
          }),
        )
        await inner.write(id, expectedVersion).finally(() => coming.delete(id))
      },
    }
  }),
  twin(
    'refuses an id that is taken, and leaves what is there',
    /expected a rejection/,
    (inner) => ({
      write: async (id, content) => {
        if ((await inner.read(id)) === undefined) await inner.write(id, content)
      },
    }),
  ),
  twin(
    'lets one of two concurrent writers of an id win',
    /^winners: expected 1, got 2/,
    (inner) => ({
      write: async (id, content) => {
        if ((await inner.read(id)) !== undefined) throw new Error('taken')
        await inner.write(id, content).catch(() => undefined)
      },
    }),
  ),
  twin('deletes a content, and does nothing where there is none', /^the place afterwards/, () => ({
    delete: async () => undefined,
  })),
  twin(
    'deletes a content, and does nothing where there is none',
    /^nothing to delete/,
    (inner) => ({
      delete: async (id) => {
        if ((await inner.read(id)) === undefined) throw new Error('nothing to delete')
        await inner.delete(id)
      },
    }),
  ),
  twin(
    'can be read again, by several readers at once, one of whom stops early',
    /^the contents/,
    (inner) => ({
      read: async (id) => {
        const content = await inner.read(id)
        await inner.delete(id)
        return content
      },
    }),
  ),
  twin(ownership, /^after the writer/, () => keeping((chunk) => chunk)),
  twin(ownership, /^after a reader/, () => keeping((chunk) => chunk.slice())),
]

/** Keeps what `keep` makes of the bytes it is given, and hands out the very bytes that it keeps. */
function keeping(keep: (chunk: Uint8Array) => Uint8Array): Partial<BlobStore> {
  const kept = new Map<string, Uint8Array[]>()
  return {
    read: async (id) => {
      const chunks = kept.get(id)
      return chunks && streamOf(chunks)
    },
    write: async (id, content) => {
      kept.set(id, (await chunksOf(content)).map(keep))
    },
  }
}

function twin(
  caught: string,
  expectedVersion: RegExp,
  breaking: (inner: BlobStore) => Partial<BlobStore>,
): BrokenTwin<Store> {
  const subject: Store = () => {
    const { blobs } = createMemoryStore()
    return { ...blobs, ...breaking(blobs) }
  }
  return { caught, seen: expectedVersion, subject }
}

async function chunksOf(content: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) chunks.push(chunk)
  return chunks
}
