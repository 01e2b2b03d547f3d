/**
 * The content of a file, on its way through the library: bytes, or chunks that are read once. A
 * small content in bytes is never divided: in process, that would cost more than all the other work
 * for the details of a file with 1 KB of content.
 *
 * Each step on the way is a generator over the chunks of the step before. A generator alone cannot
 * be stopped while it waits for its source, so `toChunks` wraps what can hang. A web stream becomes
 * chunks where it comes in, by `toChunks` as well. Chunks become a web stream only where one is
 * promised: in the result of `readFileContent`, and in a `Response`.
 */

import type { BlobContent } from '../store.js'
import { collectBytes } from './concat-bytes.js'

/** The chunks of a content, which are requested one after the other. */
export interface Chunks extends AsyncIterableIterator<Uint8Array> {
  /**
   * Releases the source at once without waiting, because a source that hangs would not answer. A
   * pending `next()` resolves as if the stream had ended. Does nothing after the end. Never
   * rejects.
   */
  return(reason?: unknown): Promise<IteratorReturnResult<undefined>>
}

/** What `toChunks` reads: a content, or a function that makes the generator of its chunks. */
type ChunkSource = BlobContent | (() => AsyncGenerator<Uint8Array>)

/**
 * Returns the chunks of a content. Bytes are copied, so that chunks belong to the receiver.
 *
 * To read what a generator yields, pass the function that makes it. It is called when the first
 * chunk is requested, because V8 keeps everything that a generator refers to beyond the next
 * collection if the generator is never started.
 *
 * A web stream is locked at once, and read by its own reader: Safari's streams are not iterable, and
 * those of other runtimes are not cancelled by an iteration that ends early, or not before a pending
 * read has ended.
 *
 * @param release - Called by `return` with its reason, to release the source of a generator. After
 * an error or at its end, a generator releases its source itself.
 * @throws TypeError if a web stream is locked already.
 */
export function toChunks(content: ChunkSource, release?: (reason?: unknown) => unknown): Chunks {
  const source = openSource(content)
  const end = { done: true, value: undefined } as const
  let isEnded = false
  let endPending = (_: typeof end): void => {}
  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (isEnded) return resolve(end)
        endPending = resolve
        Promise.resolve(source.next()).then(
          (result) => {
            if (result.done) isEnded = true
            resolve(result.done ? end : result)
          },
          (error) => {
            isEnded = true
            reject(error)
          },
        )
      }),
    async return(reason) {
      if (isEnded) return end
      isEnded = true
      endPending(end)
      // Releases the source of a generator first, because it would otherwise be released without
      // the reason.
      callSafely(() => release?.(reason))
      callSafely(() => source.return(reason))
      return end
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

interface Source {
  next(): PromiseLike<IteratorResult<Uint8Array, unknown>>
  return(reason: unknown): unknown
}

function openSource(content: ChunkSource): Source {
  if (content instanceof ReadableStream) {
    const reader = content.getReader()
    return {
      next: () => reader.read(),
      return: (reason) => reader.cancel(reason),
    }
  }
  let iterator: AsyncIterator<Uint8Array> | undefined
  function open(): AsyncIterator<Uint8Array> {
    iterator ??= iterate(content)
    return iterator
  }
  const destroy: unknown = Reflect.get(content, 'destroy')
  return {
    next: () => open().next(),
    // The iterator of a Node stream does not close its file before the first read, or during a read.
    return: (reason) =>
      typeof destroy === 'function' ? destroy.call(content) : open().return?.(reason),
  }
}

function iterate(content: ChunkSource): AsyncIterator<Uint8Array> {
  if (typeof content === 'function') return content()
  if (content instanceof Uint8Array) return copyBytes(content)
  return content[Symbol.asyncIterator]()
}

async function* copyBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield new Uint8Array(bytes)
}

/** Calls a function of a foreign source, and ignores its errors. */
async function callSafely(call: () => unknown): Promise<void> {
  try {
    await call()
  } catch {
    // If a source cannot be released, it is left alone.
  }
}

/**
 * Returns the content as a web stream. It reads no chunk before one is requested, and releases the
 * source at once when it is cancelled.
 */
export function toStream(content: BlobContent): ReadableStream<Uint8Array> {
  if (content instanceof ReadableStream) return content
  const chunks = toChunks(content)
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel(reason) {
        await chunks.return(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Returns the complete content. For chunks, returns a promise that rejects with their error. */
export function readContent(content: BlobContent): Uint8Array | Promise<Uint8Array> {
  return content instanceof Uint8Array ? content : collectBytes(toChunks(content))
}

/** Returns true for chunks of any kind, such as a web stream, a Node stream or a generator. */
export function isChunks(content: unknown): content is AsyncIterable<Uint8Array> {
  return (
    content instanceof ReadableStream ||
    typeof Reflect.get(Object(content), Symbol.asyncIterator) === 'function'
  )
}

/**
 * Releases content that is not read to its end. Does nothing for bytes, and for anything that is
 * not content. Does not wait and never throws.
 */
export function releaseContent(content: unknown, reason?: unknown): void {
  if (isChunks(content)) callSafely(() => toChunks(content).return(reason))
}
