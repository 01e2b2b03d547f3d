/** Contents that are written to a blob store. */

/** Yields these chunks. */
export async function* chunksOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** Yields one chunk, and then throws `error`. */
export async function* failAfter(chunk: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield chunk
  throw error
}

/**
 * Returns these chunks as the smallest possible AsyncIterable: it is not an iterator itself, and
 * its iterator has only `next`.
 */
export function plainIterable(...chunks: readonly Uint8Array[]): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const left = [...chunks]
      return {
        async next() {
          const value = left.shift()
          return value === undefined ? { done: true, value } : { done: false, value }
        },
      }
    },
  }
}

/** Yields one chunk, and then waits until `end` is called, which ends it or makes it fail. */
export function pauseAfter(chunk: Uint8Array): {
  readonly content: AsyncIterable<Uint8Array>
  /** Resolves when the chunk was read, and the next one is requested. */
  readonly isHalfRead: Promise<void>
  end(error?: unknown): void
} {
  const read = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  // A store may fail before it reads the chunk.
  ended.promise.catch(() => {})
  async function* readChunks(): AsyncGenerator<Uint8Array> {
    yield chunk
    read.resolve()
    await ended.promise
  }
  return {
    content: readChunks(),
    isHalfRead: read.promise,
    end: (error) => (error === undefined ? ended.resolve() : ended.reject(error)),
  }
}
