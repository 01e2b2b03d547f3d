/** Encrypts blobs, chunk by chunk as they are written, and decrypts them as they are read. */

import { cancelContent } from '../../blob-content.js'
import { StorageError } from '../../errors.js'
import type { BlobContent, BlobStore } from '../../store.js'
import { createByteReader, joinPieces, toByteStream } from './envelope/byte-reader.js'
import { chunkLength, decryptChunks, encryptChunks } from './envelope/stream-envelope.js'
import type { EncryptedContext } from './records.js'
import { scopeOfBlob, toInnerBlobId } from './scopes.js'

/**
 * Creates the blob store of an encrypted store. `read` resolves after the first chunk was
 * decrypted, and rejects with a DecryptionError if that fails. A content of one chunk is returned
 * as bytes. A later chunk that cannot be decrypted fails the stream.
 */
export function createEncryptedBlobs(context: EncryptedContext): BlobStore {
  const { blobs, plaintextReader } = context
  return {
    async read(id) {
      const envelope = await blobs.read(toInnerBlobId(id))
      if (envelope !== undefined) return decryptContent(context, id, envelope)
      if (plaintextReader === undefined) return undefined
      const plaintext = await blobs.read(id)
      if (plaintext !== undefined) return plaintext
      // Another process can have encrypted the blob between the two calls.
      const newEnvelope = await blobs.read(toInnerBlobId(id))
      return newEnvelope && decryptContent(context, id, newEnvelope)
    },
    async write(id, content) {
      if (plaintextReader !== undefined && (await exists(blobs, id))) {
        await cancelContent(content)
        throw new StorageError('a blob with this id already exists')
      }
      await writeEncrypted(context, id, content)
    },
    async delete(id) {
      await blobs.delete(toInnerBlobId(id))
      if (plaintextReader !== undefined) await blobs.delete(id)
    },
  }
}

/**
 * Encrypts the plaintext blob with this id, then removes the plaintext. Both exist for a moment,
 * and still after a crash in between: reads then use the encrypted one, and the next call removes
 * the other.
 * @returns true if there was a plaintext blob, else false.
 */
export async function encryptPlaintextBlob(
  context: EncryptedContext,
  id: string,
): Promise<boolean> {
  const { blobs } = context
  const plaintext = await blobs.read(id)
  if (plaintext === undefined) return false
  if (await exists(blobs, toInnerBlobId(id))) await cancelContent(plaintext)
  else await writeEncrypted(context, id, plaintext)
  await blobs.delete(id)
  return true
}

async function writeEncrypted(
  { blobs, keys }: EncryptedContext,
  id: string,
  content: BlobContent,
): Promise<void> {
  const scope = scopeOfBlob(id)
  const key = await keys.currentKey(scope, await keys.ensureRing(scope))
  const source = createByteReader(content)
  const pieces = encryptChunks(id, key, source)
  const isSmall = content instanceof Uint8Array && content.length <= chunkLength
  const envelope = isSmall ? await joinPieces(pieces) : toByteStream(pieces, source)
  await blobs.write(toInnerBlobId(id), envelope)
}

async function decryptContent(
  { keys }: EncryptedContext,
  id: string,
  envelope: BlobContent,
): Promise<BlobContent> {
  const source = createByteReader(envelope)
  const chunks = decryptChunks(id, (keyId) => keys.findKey(scopeOfBlob(id), keyId), source)
  try {
    const first = await chunks.next()
    if (!first.done && (await source.isAtEnd())) return first.value
    return toByteStream(prepend(first, chunks), source)
  } catch (error) {
    await source.cancel().catch(() => {})
    throw error
  }
}

/** Returns an iterator over `first`, which was taken from an iterator, and then over the rest. */
function prepend<Value>(
  first: IteratorResult<Value, void>,
  rest: AsyncIterator<Value, void, undefined>,
): AsyncIterator<Value, void, undefined> {
  let next: IteratorResult<Value, void> | undefined = first
  return {
    async next() {
      const result = next ?? (await rest.next())
      next = undefined
      return result
    },
  }
}

async function exists(blobs: BlobStore, id: string): Promise<boolean> {
  const content = await blobs.read(id)
  await cancelContent(content)
  return content !== undefined
}
