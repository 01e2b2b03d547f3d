/** Stores the content of a file while it is read, and counts its bytes. */

import { type Chunks, isChunks, toChunks } from '../../base/blob-content.js'
import { InvalidInputError, StorageError } from '../../errors.js'
import type { BlobContent } from '../../store.js'
import type { Context } from '../runtime/context.js'

/**
 * Prepares the content of a file to be stored, without reading from it. Bytes are copied, so the
 * caller can change them later.
 * @throws InvalidInputError if the content is neither bytes nor chunks, or if it is a stream that
 * is locked or has been read from, because those bytes would be missing.
 */
export function toBlobContent(content: unknown): BlobContent {
  if (content instanceof Uint8Array) return new Uint8Array(content)
  if (!isChunks(content)) throw notBytesError()
  if (!isUndisturbed(content)) throw usedStreamError()
  return content
}

/** Rejects with the error of a web stream that has already failed. Reads nothing from it. */
export async function assertNotErrored(content: BlobContent): Promise<void> {
  if (!(content instanceof ReadableStream)) return
  assertNotLocked(content)
  const reader = content.getReader()
  // If `closed` is already settled, it wins, because it comes first. Otherwise the second promise
  // does.
  await Promise.race([reader.closed, undefined]).finally(() => reader.releaseLock())
}

/**
 * Returns false for a stream that is locked or disturbed. For web streams, only the constructor of
 * a body checks that (Fetch standard, "extract a body"). Node streams have a property.
 */
function isUndisturbed(content: AsyncIterable<Uint8Array>): boolean {
  if (!(content instanceof ReadableStream)) return Reflect.get(content, 'readableDidRead') !== true
  try {
    return new Response(content).body !== null
  } catch {
    return false
  }
}

/**
 * Stores the content under `blobId` and returns the number of its bytes. If the content itself
 * fails, the promise rejects with its error and nothing is stored. Content that cannot be stored is
 * released.
 * @param check - Called after each chunk. If it throws, the content fails.
 * @throws InvalidInputError if the content contains anything but bytes.
 * @throws StorageError if the store fails, does not read the content to its end, or does not
 * continue to read it in time.
 */
export async function storeContent(
  { store }: Pick<Context, 'store'>,
  blobId: string,
  content: BlobContent,
  check: () => void,
): Promise<number> {
  if (content instanceof Uint8Array) {
    await store.blobs.write(blobId, content)
    return content.length
  }
  assertNotLocked(content)
  const chunks = toChunks(content)
  const reading: Reading = { size: 0, isComplete: false, idleSince: performance.now() }
  const counted = countBytes(chunks, reading, check)
  try {
    await store.blobs.write(blobId, counted, () => reading.idleSince ?? performance.now())
    if (!reading.isComplete) throw new StorageError('the store did not read the content to its end')
    return reading.size
  } catch (error) {
    const reason = reading.failure === undefined ? error : reading.failure.error
    reading.stopped = { error }
    chunks.return(reason)
    throw reason
  }
}

/** How far a content has been read. */
interface Reading {
  size: number
  isComplete: boolean
  /**
   * Undefined while the source is read, because that time does not count for the store's timeout.
   */
  idleSince: number | undefined
  /** The error of the source. */
  failure?: { readonly error: unknown }
  /** The error for which the source was released. The source then looks as if it had ended. */
  stopped?: { readonly error: unknown }
}

/**
 * Yields the bytes of a content and counts them. Throws a fixed error if the content fails, because
 * the store did not cause it and must not see the source's message. It also throws after the source
 * was released. Otherwise a store that continues to read would take the truncated content for all
 * of it.
 */
async function* countBytes(
  chunks: Chunks,
  reading: Reading,
  check: () => void,
): AsyncGenerator<Uint8Array> {
  while (!reading.isComplete) {
    reading.idleSince = undefined
    const { done, value } = await readBytes(chunks, check)
      .catch((error: unknown) => {
        reading.failure = { error }
        throw InvalidInputError.at('content', 'could not be read')
      })
      .finally(() => {
        reading.idleSince = performance.now()
      })
    if (reading.stopped !== undefined) throw reading.stopped.error
    reading.isComplete = done === true
    reading.size += value?.length ?? 0
    if (!done) yield value
  }
}

async function readBytes(
  chunks: Chunks,
  check: () => void,
): Promise<IteratorResult<Uint8Array, undefined>> {
  const result = await chunks.next()
  check()
  if (!result.done && !(result.value instanceof Uint8Array)) throw notBytesError()
  return result
}

/** @throws InvalidInputError if the content is a web stream that is locked. */
function assertNotLocked(content: BlobContent): void {
  if (content instanceof ReadableStream && content.locked) throw usedStreamError()
}

function usedStreamError(): InvalidInputError {
  return InvalidInputError.at('content', 'must not be locked or already read from')
}

function notBytesError(): InvalidInputError {
  return InvalidInputError.at('content', 'must be bytes or a stream of bytes')
}
