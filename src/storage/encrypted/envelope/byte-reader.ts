/** Reads a stream of bytes in pieces of one's own choice, holding no more than a piece and a chunk of the stream. */

import { createPacer } from '../../../pacer.js'

/** However small a piece is, reading it takes as long as work on some hundred bytes. */
const leastPieceBytes = 1024

/** A stream that is being read. */
export interface ByteReader {
  /** The next `length` bytes as new bytes, fewer only at the end of the stream. Rejects with the stream's error. */
  take(length: number): Promise<Uint8Array>
  /** Whether nothing comes any more. Rejects with the stream's error. */
  isAtEnd(): Promise<boolean>
  /** Ends the reading; nobody is interested in the rest. */
  cancel(reason?: unknown): Promise<void>
}

/** The stream is locked from now on. The event loop gets a turn after at most 256 pieces, also of empty ones. */
export function readBytes(stream: ReadableStream<Uint8Array>): ByteReader {
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
        const pause = pace(Math.max(value.length, leastPieceBytes))
        if (pause) await pause
      }
    }
    return rest.length === 0
  }

  return {
    isAtEnd,
    async take(length) {
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
 * A stream of what `pieces` yields, made on demand. `source` is cancelled when the reader cancels the stream,
 * and when `pieces` fails.
 */
export function streamOf(
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
