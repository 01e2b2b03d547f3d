/** Cuts a content into chunks of one size. */

/**
 * Hands the bytes of `content` to `take` in chunks of exactly `size` bytes, one after the other, and resolves with what
 * is left: at most `size` bytes, none only if there were none at all. Nothing but one chunk is held, in however small
 * pieces they come, and it is written over once `take` has resolved. Rejects with what the content fails with, or with
 * what `take` rejects with, and then cancels the content.
 */
export async function forEachChunk(
  content: ReadableStream<Uint8Array>,
  size: number,
  take: (chunk: Uint8Array) => Promise<void>,
): Promise<Uint8Array> {
  let buffer = new Uint8Array(0)
  let length = 0
  for await (const piece of content) {
    for (let at = 0; at < piece.length; ) {
      if (length === size) {
        await take(buffer)
        length = 0
      }
      const part = piece.subarray(at, at + size - length)
      buffer = growBuffer(buffer, length + part.length, size)
      buffer.set(part, length)
      length += part.length
      at += part.length
    }
  }
  return buffer.subarray(0, length)
}

/** The buffer, or one at least twice as long with the same bytes, but never longer than `most`. */
function growBuffer(
  buffer: Uint8Array<ArrayBuffer>,
  length: number,
  most: number,
): Uint8Array<ArrayBuffer> {
  if (length <= buffer.length) return buffer
  const larger = new Uint8Array(Math.min(most, Math.max(length, 2 * buffer.length)))
  larger.set(buffer)
  return larger
}

/** A stream of `count` chunks. Each is asked for when it is wanted, so that nothing is held meanwhile. */
export function streamChunks(
  count: number,
  chunkAt: (ref: number) => Uint8Array | Promise<Uint8Array>,
): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream(
    {
      async pull(controller) {
        if (next < count) controller.enqueue(await chunkAt(next++))
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
