/** Broken variants of a blob store. */

import type { BlobContent, BlobStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import type { BrokenVariant } from '../broken-variant.js'
import { streamOf } from '../bytes.js'

type Store = () => BlobStore

const bytesWrites = 'stores content that is passed as bytes, like that in chunks'
const iterables = 'stores content of any async iterable, such as a ReadableStream'
const returnedBytes = 'never modifies bytes that it has returned'
const isolation = 'is not affected when a writer or a reader modifies its bytes'

/** At least one for every case of `blobStoreContract`. */
export const brokenBlobStores: readonly BrokenVariant<Store>[] = [
  variant('returns undefined for a blob that was never written', /^an unwritten/, (inner) => ({
    read: async (id) => (await inner.read(id)) ?? streamOf([]),
  })),
  variant(
    'returns the written content byte for byte, however it was chunked',
    /^the content/,
    (inner) => ({
      write: async (id, content) =>
        inner.write(id, streamOf((await chunksOf(content)).slice(0, 3))),
    }),
  ),
  variant('stores an empty blob, which differs from no blob', /^the content/, (inner) => ({
    read: async (id) => {
      const content = await inner.read(id)
      const chunks = content && (await chunksOf(content))
      return chunks?.length ? streamOf(chunks) : undefined
    },
  })),
  variant('keeps blobs of different ids separate', /already exists/, (inner) => ({
    read: (id) => inner.read(id.toLowerCase()),
    write: (id, content) => inner.write(id.toLowerCase(), content),
  })),
  variant(
    'writes nothing when the content fails, and rejects with its error',
    /^the blob afterwards/,
    (inner) => ({
      write: async (id, content) => {
        const chunks: Uint8Array[] = []
        try {
          for await (const chunk of readChunks(content)) chunks.push(chunk)
        } finally {
          await inner.write(id, streamOf(chunks))
        }
      },
    }),
  ),
  variant(
    'writes nothing when the content fails, and rejects with its error',
    /^the error is/,
    (inner) => ({
      write: (id, content) =>
        inner.write(id, content).catch(() => Promise.reject(new Error('the write failed'))),
    }),
  ),
  variant('does not expose a blob before it is complete', /^the blob during the write/, (inner) => {
    const coming = new Map<string, Uint8Array[]>()
    return {
      read: async (id) => (coming.has(id) ? streamOf(coming.get(id) ?? []) : inner.read(id)),
      write: async (id, content) => {
        const chunks: Uint8Array[] = []
        async function* observe(): AsyncGenerator<Uint8Array> {
          for await (const chunk of readChunks(content)) {
            chunks.push(chunk)
            coming.set(id, chunks)
            yield chunk
          }
        }
        await inner.write(id, observe()).finally(() => coming.delete(id))
      },
    }
  }),
  variant(
    'rejects a write to an existing id and leaves the blob unchanged',
    /expected a rejection/,
    (inner) => ({
      write: async (id, content) => {
        if ((await inner.read(id)) === undefined) await inner.write(id, content)
      },
    }),
  ),
  variant(
    'lets exactly one of two concurrent writers of an id win',
    /^winners: expected 1, got 2/,
    (inner) => ({
      write: async (id, content) => {
        if ((await inner.read(id)) !== undefined) throw new Error('taken')
        await inner.write(id, content).catch(() => undefined)
      },
    }),
  ),
  variant('deletes a blob, and does nothing if it does not exist', /^the blob afterwards/, () => ({
    delete: async () => undefined,
  })),
  variant(
    'deletes a blob, and does nothing if it does not exist',
    /^nothing to delete/,
    (inner) => ({
      delete: async (id) => {
        if ((await inner.read(id)) === undefined) throw new Error('nothing to delete')
        await inner.delete(id)
      },
    }),
  ),
  variant(
    'can be read repeatedly and concurrently, even after a reader that stopped early',
    /^the contents/,
    (inner) => ({
      read: async (id) => {
        const content = await inner.read(id)
        await inner.delete(id)
        return content
      },
    }),
  ),
  variant(bytesWrites, /next is not a function/, (inner) => ({
    write: (id, content) => inner.write(id, nextChunks(content)),
  })),
  variant(iterables, /next is not a function/, (inner) => ({
    write: (id, content) =>
      inner.write(id, content instanceof Uint8Array ? content : nextChunks(content)),
  })),
  variant(iterables, /return is not a function/, (inner) => ({
    async write(id, content) {
      if (content instanceof Uint8Array) return inner.write(id, content)
      const iterator = content[Symbol.asyncIterator]()
      await inner.write(id, { [Symbol.asyncIterator]: () => ({ next: () => iterator.next() }) })
      await (iterator as AsyncGenerator).return(undefined)
    },
  })),
  variant(bytesWrites, /^0 bytes/, (inner) => ({
    write: (id, content) =>
      inner.write(id, content instanceof Uint8Array ? new Uint8Array(content.buffer) : content),
  })),
  variant(bytesWrites, /expected a rejection/, (inner) => ({
    async write(id, content) {
      if (content instanceof Uint8Array) await inner.delete(id)
      await inner.write(id, content)
    },
  })),
  variant(returnedBytes, /^bytes after later calls/, (inner) => {
    const shared = new Uint8Array(1000)
    return {
      async read(id) {
        const content = await inner.read(id)
        if (!(content instanceof Uint8Array) || content.length > shared.length) return content
        shared.set(content)
        return shared.subarray(0, content.length)
      },
    }
  }),
  variant('stores contents of 4,000,000 bytes', /^the content of v\/chunks/, (inner) => ({
    write: async (id, content) =>
      inner.write(id, Buffer.concat(await chunksOf(content)).subarray(0, 300_000)),
  })),
  variant(isolation, /^after the writer/, () => keeping((chunk) => chunk)),
  variant(isolation, /^after a reader/, () => keeping((chunk) => chunk.slice())),
]

/**
 * A store that stores the result of `keep` for each chunk, and returns the stored chunks
 * themselves.
 */
function keeping(keep: (chunk: Uint8Array) => Uint8Array): Partial<BlobStore> {
  const stored = new Map<string, Uint8Array[]>()
  return {
    read: async (id) => {
      const chunks = stored.get(id)
      return chunks && streamOf(chunks)
    },
    write: async (id, content) => {
      stored.set(id, (await chunksOf(content)).map(keep))
    },
  }
}

function variant(
  caseName: string,
  message: RegExp,
  breakStore: (inner: BlobStore) => Partial<BlobStore>,
): BrokenVariant<Store> {
  const subject: Store = () => {
    const { blobs } = createMemoryStore()
    return { ...blobs, ...breakStore(blobs) }
  }
  return { caseName, message, subject }
}

async function* readChunks(content: BlobContent): AsyncGenerator<Uint8Array> {
  if (!(content instanceof Uint8Array)) yield* content
  else if (content.length > 0) yield content
}

/** Reads a content as if it were a generator. */
async function* nextChunks(content: BlobContent): AsyncGenerator<Uint8Array> {
  const generator = content as AsyncGenerator<Uint8Array>
  for (let read = await generator.next(); !read.done; read = await generator.next())
    yield read.value
}

async function chunksOf(content: BlobContent): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of readChunks(content)) chunks.push(chunk)
  return chunks
}
