/** Reads a stream of bytes in pieces of given lengths. Holds one piece and one chunk at a time. */

import { createPacer } from '../../../pacer.js'

/** Reading a piece takes at least as long as work on some hundred bytes, however small it is. */
const minPieceBytes = 1024

/** A stream that is being read. */
export interface ByteReader {
  /**
   * Returns the next `length` bytes as new bytes, fewer only at the end of the stream. Rejects with
   * the error of the stream.
   */
  read(length: number): Promise<Uint8Array>
  /** Returns true if no bytes are left. Rejects with the error of the stream. */
  isAtEnd(): Promise<boolean>
  /** Cancels the stream. */
  cancel(reason?: unknown): Promise<void>
}

/**
 * Creates a reader, which locks the stream. The event loop gets a turn after at most 256 pieces,
 * even if they are empty.
 */
export function createByteReader(stream: ReadableStream<Uint8Array>): ByteReader {
  const reader = stream.getReader()
  let rest: Uint8Array = new Uint8Array(0)
  let ended = false
  const pace = createPacer()

  const isAtEnd = async (): Promise<boolean> => {
    while (rest.length === 0 && !ended) {
      const { done, value } = await reader.read()
      if (done) ended = true
      else {
        rest = value
        const pause = pace(Math.max(value.length, minPieceBytes))
        if (pause) await pause
      }
    }
    return rest.length === 0
  }

  return {
    isAtEnd,
    async read(length) {
      const piece = new Uint8Array(length)
      let filled = 0
      while (filled < length && !(await isAtEnd())) {
        const part = rest.subarray(0, length - filled)
        piece.set(part, filled)
        filled += part.length
        rest = rest.subarray(part.length)
      }
      return filled < length ? piece.slice(0, filled) : piece
    },
    cancel: (reason) => reader.cancel(reason),
  }
}

/**
 * Returns a stream of the pieces. Each is created when it is read. `source` is cancelled when the
 * stream is cancelled, and when `pieces` fails.
 */
export function toByteStream(
  pieces: AsyncIterator<Uint8Array, void, undefined>,
  source: ByteReader,
): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next().catch((error: unknown) => {
          source.cancel(error).catch(() => {})
          throw error
        })
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
