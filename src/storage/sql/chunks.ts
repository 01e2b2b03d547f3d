/** Divides the content of a blob into chunks of one size, and reads stored chunks. */

import type { BlobContent } from '../../store.js'

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
  content: BlobContent,
  size: number,
  store: (chunk: Uint8Array) => Promise<void>,
): Promise<Uint8Array> {
  if (content instanceof Uint8Array) {
    let start = 0
    for (; content.length - start > size; start += size)
      await store(content.subarray(start, start + size))
    return content.subarray(start)
  }
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
 * Returns the content of `count` chunks: bytes if it is at most one, otherwise a stream. Each chunk
 * of a stream is loaded when it is read, and none is buffered.
 * @param loadChunk Returns the chunk with the given number, from 0. Its error is thrown, or fails
 * the stream.
 */
export async function openChunks(
  count: number,
  loadChunk: (number: number) => Uint8Array | Promise<Uint8Array>,
): Promise<BlobContent> {
  if (count === 0) return new Uint8Array(0)
  if (count === 1) return loadChunk(0)
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
