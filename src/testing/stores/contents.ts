/** Streams that are written to a blob store. */

/** A stream of these chunks. */
export function streamOf(...chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

/** A stream that fails with `error` after one chunk. */
export function failAfter(chunk: Uint8Array, error: Error): ReadableStream<Uint8Array> {
  let begun = false
  return new ReadableStream({
    pull(controller) {
      if (begun) controller.error(error)
      else controller.enqueue(chunk)
      begun = true
    },
  })
}

/** A stream of one chunk that ends, or fails, when `end` is called. */
export function pauseAfter(chunk: Uint8Array): {
  readonly content: ReadableStream<Uint8Array>
  /** Resolves when the chunk was read, and the next one is requested. */
  readonly isHalfRead: Promise<void>
  end(error?: unknown): void
} {
  let source: ReadableStreamDefaultController<Uint8Array> | undefined
  let pulls = 0
  let resolveRead = (): void => {}
  const isHalfRead = new Promise<void>((resolve) => {
    resolveRead = resolve
  })
  const start = (controller: typeof source): void => {
    source = controller
  }
  const pull = (): void => {
    if (pulls++ === 0) source?.enqueue(chunk)
    else resolveRead()
  }
  return {
    content: new ReadableStream({ start, pull }, { highWaterMark: 0 }),
    isHalfRead,
    end: (error) => (error === undefined ? source?.close() : source?.error(error)),
  }
}
