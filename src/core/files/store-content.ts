/** Stores the content of a file while it is read, and counts its bytes. */

import { toStream } from '../../base/blob-content.js'
import { InvalidInputError, StorageError } from '../../errors.js'
import type { BlobContent } from '../../store.js'
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
 * is cancelled.
 * @throws InvalidInputError if the stream contains anything but bytes; StorageError if the store
 * fails, does not read the content to its end, or does not continue to read it in time.
 */
export async function storeContent(
  { store }: Pick<Context, 'store'>,
  blobId: string,
  content: BlobContent,
): Promise<number> {
  if (content instanceof Uint8Array) {
    await store.blobs.write(blobId, content)
    return content.length
  }
  const reader = lockStream(toStream(content))
  const reading: Reading = { size: 0, isComplete: false, idleSince: performance.now() }
  const counted = toStream(countBytes(reader, reading), (reason) => reader.cancel(reason))
  try {
    await store.blobs.write(blobId, counted, () => reading.idleSince ?? performance.now())
    if (!reading.isComplete) throw new StorageError('the store did not read the content to its end')
    return reading.size
  } catch (error) {
    const reason = reading.failure === undefined ? error : reading.failure.error
    reading.stopped = { error }
    reader.cancel(reason).catch(() => {})
    throw reason
  }
}

/** How far a content has been read. */
interface Reading {
  size: number
  isComplete: boolean
  /** Undefined while the source is read: that time does not count for the store's timeout. */
  idleSince: number | undefined
  /** The error of the source. */
  failure?: { readonly error: unknown }
  /** The error because of which the source is cancelled. It then looks as if it had ended. */
  stopped?: { readonly error: unknown }
}

/**
 * Yields the bytes of a content and counts them. Throws a fixed error if the content fails: the
 * store did not cause it and must not see the source's message. Throws also after the source was
 * cancelled, or a store that continues to read would take the truncated content for the whole.
 */
async function* countBytes(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  reading: Reading,
): AsyncGenerator<Uint8Array> {
  while (!reading.isComplete) {
    reading.idleSince = undefined
    const { done, value } = await readBytes(reader)
      .catch((error: unknown) => {
        reading.failure = { error }
        throw InvalidInputError.at('content', 'could not be read')
      })
      .finally(() => {
        reading.idleSince = performance.now()
      })
    if (reading.stopped !== undefined) throw reading.stopped.error
    reading.isComplete = done
    reading.size += value?.length ?? 0
    if (!done) yield value
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
function lockStream(content: ReadableStream<Uint8Array>): ReadableStreamDefaultReader<Uint8Array> {
  if (content.locked) throw usedStreamError()
  return content.getReader()
}

function usedStreamError(): InvalidInputError {
  return InvalidInputError.at('content', 'must be neither locked nor read from before')
}

function notBytesError(): InvalidInputError {
  return InvalidInputError.at('content', 'must be bytes or a stream of bytes')
}
