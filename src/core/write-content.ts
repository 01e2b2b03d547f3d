/** Writes the content of a file as it comes, and counts it. */

import { InvalidInputError } from '../errors.js'
import type { Context } from './context.js'

/**
 * Resolves with the number of bytes when all of them are stored under `blobId`. Rejects with the error of the content
 * itself if that is what failed; nothing is stored then.
 * @throws InvalidInputError if the content is no bytes, StorageError if the store failed.
 */
export async function writeContent(
  context: Pick<Context, 'store'>,
  blobId: string,
  content: Uint8Array | ReadableStream<Uint8Array>,
): Promise<number> {
  const reader = streamOf(content).getReader()
  let size = 0
  let failure: { readonly error: unknown } | undefined
  const counted = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        if (!(value instanceof Uint8Array)) throw noBytes()
        size += value.length
        controller.enqueue(value)
      } catch (error) {
        failure = { error }
        throw error
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  try {
    await context.store.blobs.write(blobId, counted)
    return size
  } catch (error) {
    throw failure === undefined ? error : failure.error
  }
}

function streamOf(content: Uint8Array | ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  if (content instanceof ReadableStream) return content
  if (!(content instanceof Uint8Array)) throw noBytes()
  return new ReadableStream({
    start(controller) {
      controller.enqueue(content)
      controller.close()
    },
  })
}

function noBytes(): InvalidInputError {
  return new InvalidInputError([{ path: 'content', message: 'must be bytes or a stream of bytes' }])
}
