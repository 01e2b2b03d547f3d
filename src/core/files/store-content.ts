/** Stores the content of a file while it is read, and counts its bytes. */

import { toStream } from '../../blob-content.js'
import { InvalidInputError, StorageError } from '../../errors.js'
import type { BlobContent } from '../../store.js'
import { withSignal } from '../runtime/abort.js'
import type { Context } from '../runtime/context.js'

/**
 * Returns the content of a file to be stored, without reading from it. Bytes are copied, so the
 * caller can change them later.
 * @throws InvalidInputError if the content is neither bytes nor a stream, or if the stream is
 * locked or was read from before: the bytes that were read would be missing.
 */
export function toBlobContent(content: unknown): BlobContent {
  if (content instanceof Uint8Array) return new Uint8Array(content)
  if (!(content instanceof ReadableStream)) throw notBytesError()
  if (!isUndisturbed(content)) throw usedStreamError()
  return content
}

/** Rejects with the error of a stream that has already failed. Reads nothing from it. */
export async function assertNotErrored(content: BlobContent): Promise<void> {
  if (content instanceof Uint8Array) return
  const reader = lockStream(content)
  await Promise.race([reader.closed, undefined]).finally(() => reader.releaseLock())
}

/**
 * Returns true if the stream is neither locked nor disturbed. Only a constructor of a body checks
 * that (Fetch standard, "extract a body").
 */
function isUndisturbed(content: ReadableStream): boolean {
  try {
    return new Response(content).body !== null
  } catch {
    return false
  }
}

/**
 * Stores the content under `blobId` and returns the number of its bytes. If the content itself
 * fails, the promise rejects with its error and nothing is stored. A content that cannot be stored
 * is cancelled. If the signal of the call is aborted, the content fails with its reason.
 * @throws InvalidInputError if the stream contains anything but bytes; StorageError if the store
 * fails, does not read the content to its end, or does not continue to read it in time.
 */
export async function storeContent(
  { store, signal }: Pick<Context, 'store' | 'signal'>,
  blobId: string,
  content: BlobContent,
): Promise<number> {
  if (content instanceof Uint8Array && signal === undefined) {
    await store.blobs.write(blobId, content)
    return content.length
  }
  const reader = lockStream(toStream(content), signal)
  let size = 0
  let isReadToEnd = false
  let sourceFailure: { readonly error: unknown } | undefined
  // Undefined while the source is read: that time does not count for the store's timeout.
  let idleSince: number | undefined = performance.now()
  let countedController!: ReadableStreamDefaultController<Uint8Array>
  const counted = new ReadableStream<Uint8Array>({
    start(controller) {
      countedController = controller
    },
    async pull(controller) {
      idleSince = undefined
      const reading = readBytes(reader).finally(() => {
        idleSince = performance.now()
      })
      const { done, value } = await reading.catch((error: unknown) => {
        sourceFailure = { error }
        // A fixed error for the store, which did not cause it and must not see the source's
        // message.
        throw InvalidInputError.at('content', 'could not be read')
      })
      if (done) {
        isReadToEnd = true
        return controller.close()
      }
      size += value.length
      controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
  try {
    await store.blobs.write(blobId, counted, () => idleSince ?? performance.now())
    if (!isReadToEnd) throw new StorageError('the store did not read the content to its end')
    return size
  } catch (error) {
    const reason = sourceFailure === undefined ? error : sourceFailure.error
    // Fails the stream before the source is cancelled. Otherwise a store that continues to read
    // would see the end of the source and take the truncated content for the whole.
    countedController.error(error)
    reader.cancel(reason).catch(() => {})
    throw reason
  }
}

async function readBytes(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<ReadableStreamReadResult<Uint8Array>> {
  const result = await reader.read()
  if (!result.done && !(result.value instanceof Uint8Array)) throw notBytesError()
  return result
}

/** Locks a stream to a new reader. @throws InvalidInputError if it is locked already. */
function lockStream<Chunk>(
  content: ReadableStream<Chunk>,
  signal?: AbortSignal,
): ReadableStreamDefaultReader<Chunk> {
  if (content.locked) throw usedStreamError()
  return (signal === undefined ? content : withSignal(content, signal)).getReader()
}

function usedStreamError(): InvalidInputError {
  return InvalidInputError.at('content', 'must be neither locked nor read from before')
}

function notBytesError(): InvalidInputError {
  return InvalidInputError.at('content', 'must be bytes or a stream of bytes')
}
