/** Writes the content of a file as it comes, and counts it. */

import { InvalidInputError, StorageError } from '../../errors.js'
import type { Context } from '../runtime/context.js'

/**
 * The content as a stream; bytes are copied, so that nobody shares them with the store. Nothing of a stream is read.
 * @throws InvalidInputError if the content is neither bytes nor a stream, or a stream that is locked or was read from
 * before: the bytes that were read would be missing.
 */
export function toByteStream(content: unknown): ReadableStream<Uint8Array> {
  if (content instanceof ReadableStream) {
    if (!isUnread(content)) throw usedContent()
    return content
  }
  if (!(content instanceof Uint8Array)) throw notBytesError()
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(content))
      controller.close()
    },
  })
}

/** Reads nothing. Rejects with the stream's own error if it has failed already. */
export async function requireSound(content: ReadableStream): Promise<void> {
  const reader = lock(content)
  await Promise.race([reader.closed, undefined]).finally(() => reader.releaseLock())
}

/** Whether the stream is neither locked nor disturbed, which nothing but a body (Fetch standard) can be asked. */
function isUnread(content: ReadableStream): boolean {
  try {
    return new Response(content).body !== null
  } catch {
    return false
  }
}

/**
 * Resolves with the number of bytes when all of them are stored under `blobId`. Rejects with the error of the content
 * itself if that is what failed; nothing is stored then. Content that cannot be stored is cancelled.
 * @throws InvalidInputError if the stream holds anything but bytes, StorageError if the store failed, kept the content
 * waiting for too long, or did not read it to its end.
 */
export async function storeContent(
  context: Pick<Context, 'store'>,
  blobId: string,
  content: ReadableStream<Uint8Array>,
): Promise<number> {
  const reader = lock(content)
  let size = 0
  let isRead = false
  let failure: { readonly error: unknown } | undefined
  // Undefined while the source is waited for, whose time is not the store's.
  let idleSince: number | undefined = performance.now()
  let writing!: ReadableStreamDefaultController<Uint8Array>
  const counted = new ReadableStream<Uint8Array>({
    start(controller) {
      writing = controller
    },
    async pull(controller) {
      idleSince = undefined
      const next = nextBytes(reader).finally(() => {
        idleSince = performance.now()
      })
      const { done, value } = await next.catch((error: unknown) => {
        failure = { error }
        // For the store, whose fault it is not, and who need not see the words of others.
        throw InvalidInputError.at('content', 'could not be read')
      })
      if (done) {
        isRead = true
        return controller.close()
      }
      size += value.length
      controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  try {
    await context.store.blobs.write(blobId, counted, () => idleSince ?? performance.now())
    if (!isRead) throw new StorageError('the store did not read a content to its end')
    return size
  } catch (error) {
    const reason = failure === undefined ? error : failure.error
    // Before the source ends: a store that reads on must not take what it has for the whole.
    writing.error(error)
    reader.cancel(reason).catch(() => {})
    throw reason
  }
}

async function nextBytes(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  const next = await reader.read()
  if (!next.done && !(next.value instanceof Uint8Array)) throw notBytesError()
  return next
}

/** @throws InvalidInputError if somebody reads the stream meanwhile. */
function lock<Chunk>(content: ReadableStream<Chunk>): ReadableStreamDefaultReader<Chunk> {
  if (content.locked) throw usedContent()
  return content.getReader()
}

function usedContent(): InvalidInputError {
  return InvalidInputError.at('content', 'must be neither locked nor read from before')
}

function notBytesError(): InvalidInputError {
  return InvalidInputError.at('content', 'must be bytes or a stream of bytes')
}
