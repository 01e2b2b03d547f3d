/** Divides the content of a blob into chunks of one size, and streams stored chunks. */

/**
 * Calls `store` with the bytes of `content`, in chunks of exactly `size` bytes, one after the
 * other. However small the pieces of `content` are, only one chunk is in memory. Its buffer is
 * reused once `store` has resolved.
 *
 * @param size Bytes of a chunk, 1 or more.
 * @returns The remaining bytes, at most `size`; empty only if the content is empty. Rejects with
 * the error of `content`, or with that of `store`, in which case `content` is cancelled.
 */
export async function forEachChunk(
  content: ReadableStream<Uint8Array>,
  size: number,
  store: (chunk: Uint8Array) => Promise<void>,
): Promise<Uint8Array> {
  let buffer = new Uint8Array(0)
  let length = 0
  for await (const piece of content) {
    for (let offset = 0; offset < piece.length; ) {
      if (length === size) {
        await store(buffer)
        length = 0
      }
      const part = piece.subarray(offset, offset + size - length)
      buffer = growBuffer(buffer, length + part.length, size)
      buffer.set(part, length)
      length += part.length
      offset += part.length
    }
  }
  return buffer.subarray(0, length)
}

/** Returns the buffer, or a copy at least twice as long, but never longer than `maxLength`. */
function growBuffer(
  buffer: Uint8Array<ArrayBuffer>,
  length: number,
  maxLength: number,
): Uint8Array<ArrayBuffer> {
  if (length <= buffer.length) return buffer
  const larger = new Uint8Array(Math.min(maxLength, Math.max(length, 2 * buffer.length)))
  larger.set(buffer)
  return larger
}

/**
 * Returns a stream of `count` chunks. Each is loaded when it is read, and none is buffered. The
 * stream fails with the error of `loadChunk`.
 *
 * @param loadChunk Returns the chunk with the given number, from 0.
 */
export function streamChunks(
  count: number,
  loadChunk: (number: number) => Uint8Array | Promise<Uint8Array>,
): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream(
    {
      async pull(controller) {
        if (next < count) controller.enqueue(await loadChunk(next++))
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
