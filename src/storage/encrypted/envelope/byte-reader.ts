/**
 * Reads the content of a blob in pieces of given lengths. Of a stream, it holds one piece and one
 * chunk at a time.
 */

import { concatBytes } from '../../../concat-bytes.js'
import { createPacer } from '../../../pacer.js'
import type { BlobContent } from '../../../store.js'

/** Reading a piece takes at least as long as work on some hundred bytes, however small it is. */
const minPieceBytes = 1024

/** A content that is being read. */
export interface ByteReader {
  /**
   * Returns the next `length` bytes as new bytes, fewer only at the end of the content. Rejects with
   * the error of the stream.
   */
  read(length: number): Promise<Uint8Array>
  /** Returns true if no bytes are left. Rejects with the error of the stream. */
  isAtEnd(): Promise<boolean>
  /** Cancels the stream. Does nothing for bytes. */
  cancel(reason?: unknown): Promise<void>
}

/**
 * Creates a reader, which locks a stream. The event loop gets a turn after at most 256 pieces,
 * even if they are empty.
 */
export function createByteReader(content: BlobContent): ByteReader {
  const isBytes = content instanceof Uint8Array
  let rest = isBytes ? content : new Uint8Array(0)
  // Undefined at the end of the stream.
  let reader = isBytes ? undefined : content.getReader()
  const pace = createPacer()

  const isAtEnd = async (): Promise<boolean> => {
    while (rest.length === 0 && reader !== undefined) {
      const { done, value } = await reader.read()
      if (done) reader = undefined
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
      const piece = new Uint8Array(reader === undefined ? Math.min(length, rest.length) : length)
      let filled = 0
      while (filled < length && !(await isAtEnd())) {
        const part = rest.subarray(0, length - filled)
        piece.set(part, filled)
        filled += part.length
        rest = rest.subarray(part.length)
      }
      return filled < length ? piece.slice(0, filled) : piece
    },
    cancel: async (reason) => reader?.cancel(reason),
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

/** Returns all pieces as bytes. */
export async function joinPieces(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const found: Uint8Array[] = []
  for await (const piece of pieces) found.push(piece)
  return concatBytes(found)
}
