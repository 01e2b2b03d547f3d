/** Cuts the content of a blob into chunks, and turns stored chunks into content again. */

import { toChunks } from '../base/blob-content.js'
import { createPacer } from '../base/pacer.js'
import type { BlobContent } from '../store.js'

/** A part of a content. */
export interface Chunk {
  readonly bytes: Uint8Array
  readonly isLast: boolean
}

/** Reading even a tiny piece takes at least as long as work on some hundred bytes. */
const minPieceBytes = 1024

/**
 * Yields a content in chunks of exactly `size` bytes. The last one can be shorter, and is empty
 * only if the content is. Even if the pieces are tiny, only one chunk is in memory. Its bytes are
 * overwritten when the next one is requested. The event loop gets a turn after at most 256 pieces,
 * even if they are empty. Throws the error of the content, and releases the content if the
 * iteration ends early.
 * @param size - Bytes, 1 or more.
 * @param firstSize - Bytes of the first chunk. Default: `size`.
 */
export async function* cutContent(
  content: BlobContent,
  size: number,
  firstSize = size,
): AsyncGenerator<Chunk, undefined> {
  let chunkSize = firstSize
  if (content instanceof Uint8Array) {
    let start = 0
    for (; content.length - start > chunkSize; chunkSize = size) {
      yield { bytes: content.subarray(start, start + chunkSize), isLast: false }
      start += chunkSize
    }
    yield { bytes: content.subarray(start), isLast: true }
    return
  }
  let buffer = new Uint8Array(0)
  let length = 0
  const pace = createPacer()
  for await (const piece of toChunks(content)) {
    for (let offset = 0; offset < piece.length; ) {
      if (length === chunkSize) {
        yield { bytes: buffer.subarray(0, length), isLast: false }
        length = 0
        chunkSize = size
      }
      const part = piece.subarray(offset, offset + chunkSize - length)
      buffer = growBuffer(buffer, length + part.length, chunkSize)
      buffer.set(part, length)
      length += part.length
      offset += part.length
    }
    const pause = pace(Math.max(piece.length, minPieceBytes))
    if (pause) await pause
  }
  yield { bytes: buffer.subarray(0, length), isLast: true }
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
 * Returns the content of `count` chunks. At most one chunk is returned as bytes. Otherwise each
 * chunk is loaded when it is requested, and none is buffered.
 * @param loadChunk - Returns the chunk with the given number, from 0. Its error is thrown.
 */
export async function openChunks(
  count: number,
  loadChunk: (number: number) => Uint8Array | Promise<Uint8Array>,
): Promise<BlobContent> {
  if (count === 0) return new Uint8Array(0)
  if (count === 1) return loadChunk(0)
  return loadChunks(count, loadChunk)
}

async function* loadChunks(
  count: number,
  loadChunk: (number: number) => Uint8Array | Promise<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for (let number = 0; number < count; number++) yield await loadChunk(number)
}
