/** Contents that are written to a blob store. */

/** These chunks. */
export async function* chunksOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** One chunk, and then `error`. */
export async function* failAfter(chunk: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield chunk
  throw error
}

/**
 * These chunks of an iterable that is no iterator, and whose iterator has nothing but `next`: all
 * that an AsyncIterable must have.
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

/** One chunk that is followed by the end, or an error, when `end` is called. */
export function pauseAfter(chunk: Uint8Array): {
  readonly content: AsyncIterable<Uint8Array>
  /** Resolves when the chunk was read, and the next one is requested. */
  readonly isHalfRead: Promise<void>
  end(error?: unknown): void
} {
  let resolveRead = (): void => {}
  const isHalfRead = new Promise<void>((resolve) => {
    resolveRead = resolve
  })
  let end = (_?: unknown): void => {}
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error))
  })
  // A store can fail before it reads the chunk.
  ended.catch(() => {})
  async function* readChunks(): AsyncGenerator<Uint8Array> {
    yield chunk
    resolveRead()
    await ended
  }
  return { content: readChunks(), isHalfRead, end }
}
