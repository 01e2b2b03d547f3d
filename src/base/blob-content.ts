/**
 * The content of a file, on its way through the library: bytes, or chunks that are read once. A
 * small content in bytes never becomes a stream: in process, a stream would cost more than all the
 * other work for the details of a file with 1 KB of content.
 *
 * Inside the library, chunks are an `AsyncIterable`, and each step is a generator. `toStream` makes
 * a web stream of them where they leave the library: in results of the service and the handler, and
 * between stores. `toChunks` reads a web stream that comes in.
 */

import type { BlobContent } from '../store.js'

/**
 * Returns the content as a web stream, which reads no chunk before one is requested. Bytes are
 * copied, so that chunks belong to the receiver.
 *
 * @param cancel - Called with the reason when the stream is cancelled, to release the source of
 * the chunks at once. Without it, a source that hangs is not released: `return()` of a generator
 * waits for the pending `next()`. After an error, the chunks must release their source themselves.
 */
export function toStream(
  content: Uint8Array | AsyncIterable<Uint8Array>,
  cancel?: (reason: unknown) => unknown,
): ReadableStream<Uint8Array> {
  if (content instanceof ReadableStream) return content
  const iterable = content instanceof Uint8Array ? copyBytes(content) : content
  const chunks = iterable[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel(reason) {
        chunks.return?.().catch(() => {})
        await cancel?.(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

async function* copyBytes(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield new Uint8Array(bytes)
}

/** The chunks of a stream. */
export interface StreamChunks extends AsyncIterableIterator<Uint8Array> {
  /**
   * Cancels the stream at once. A pending `next()` then resolves as it does at the end.
   * Does nothing before the first `next()`. Never rejects.
   */
  return(reason?: unknown): Promise<IteratorReturnResult<undefined>>
}

/**
 * Returns the chunks of a stream, which is locked when the first one is requested. `for await` over
 * the stream itself does not suffice: Safari's streams are not iterable, and some runtimes do not
 * cancel theirs when an iteration ends early.
 */
export function toChunks(stream: ReadableStream<Uint8Array>): StreamChunks {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  return {
    async next() {
      reader ??= stream.getReader()
      const { done, value } = await reader.read()
      return done ? { done, value: undefined } : { done, value }
    },
    async return(reason) {
      reader?.cancel(reason).catch(() => {})
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Returns the whole content; for a stream, a promise that rejects with the stream's error. */
export function readContent(content: BlobContent): Uint8Array | Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content
  return new Response(content).arrayBuffer().then((buffer) => new Uint8Array(buffer))
}

/** Releases a content that is not read. Rejects if its stream cannot be cancelled. */
export async function cancelContent(
  content: BlobContent | undefined,
  reason?: unknown,
): Promise<void> {
  if (content !== undefined && !(content instanceof Uint8Array)) await content.cancel(reason)
}
