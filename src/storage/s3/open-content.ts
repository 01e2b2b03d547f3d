/** Opens the content of a response. */

import { concatBytes } from '../../concat-bytes.js'
import { StorageError } from '../../errors.js'
import type { BlobContent } from '../../store.js'
import { unreachableError } from './send.js'

/** The most bytes of a content that is returned as bytes, not as a stream. */
const maxSmallBytes = 65_536

/**
 * Returns the content of a response that must have exactly `length` bytes. With any other number,
 * the promise rejects or the stream fails with a StorageError.
 */
export async function openContent({ body }: Response, length: number): Promise<BlobContent> {
  const stream = checkLength(body ?? new Blob([]).stream(), length)
  if (length > maxSmallBytes) return stream
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return concatBytes(chunks)
}

function checkLength(body: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let left = length
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((error: unknown) => {
          throw unreachableError(error)
        })
        left -= value?.length ?? 0
        if (left < 0 || (done && left > 0)) {
          await reader.cancel().catch(() => {})
          throw new StorageError('the object store returned a content of another length')
        }
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
