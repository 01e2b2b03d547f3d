/** Opens the content of a response. */

import { concatBytes } from '../../concat-bytes.js'
import { StorageError } from '../../errors.js'
import type { BlobContent } from '../../store.js'
import type { S3Response } from './send.js'

/** The most bytes of a content that is returned as bytes, not as a stream. */
const maxSmallBytes = 65_536

/**
 * Returns the content of a response that must have exactly `length` bytes. With any other number,
 * the promise rejects or the stream fails with a StorageError. Bytes must be complete at the `end`
 * of the response. A stream can take any time, but must not pause for longer than the timeout.
 */
export async function openContent(response: S3Response, length: number): Promise<BlobContent> {
  if (length > maxSmallBytes) return checkLength(response, length)
  const chunks: Uint8Array[] = []
  for await (const chunk of checkLength(response, length, response.end)) chunks.push(chunk)
  return concatBytes(chunks)
}

function checkLength(
  response: S3Response,
  length: number,
  end?: number,
): ReadableStream<Uint8Array> {
  let left = length
  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = await response.read(end)
        left -= chunk?.length ?? 0
        if (left < 0 || (chunk === undefined && left > 0)) {
          await response.cancel()
          throw new StorageError('the object store returned a content of another length')
        }
        if (chunk === undefined) controller.close()
        else controller.enqueue(chunk)
      },
      cancel: () => response.cancel(),
    },
    { highWaterMark: 0 },
  )
}
