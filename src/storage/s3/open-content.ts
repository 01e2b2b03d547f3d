/** Opens the content of a response. */

import { concatBytes } from '../../concat-bytes.js'
import { StorageError } from '../../errors.js'
import type { BlobContent } from '../../store.js'
import type { S3Response } from './send.js'

/** The most bytes of a content that is returned as bytes, not as a stream. */
const maxSmallBytes = 65_536

/**
 * Returns the content of a response that must have exactly `length` bytes. With any other number,
 * the promise rejects or the stream fails with a StorageError.
 */
export async function openContent(response: S3Response, length: number): Promise<BlobContent> {
  const stream = checkLength(response, length)
  if (length > maxSmallBytes) return stream
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return concatBytes(chunks)
}

function checkLength(response: S3Response, length: number): ReadableStream<Uint8Array> {
  let left = length
  return new ReadableStream(
    {
      async pull(controller) {
        const chunk = await response.read()
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
