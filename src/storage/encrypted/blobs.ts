/** Encrypts blobs, chunk by chunk as they are written, and decrypts them as they are read. */

import { releaseContent, toChunks } from '../../base/blob-content.js'
import { collectBytes } from '../../base/concat-bytes.js'
import { undecryptableError } from '../../base/fixed-errors.js'
import { scopeOfBlob, toInnerBlobId } from '../../base/stored-records.js'
import { StorageError } from '../../errors.js'
import type { BlobContent, BlobStore } from '../../store.js'
import type { Chunk } from '../chunks.js'
import { chunkLength, decryptChunks, encryptChunks } from './envelope/stream-envelope.js'
import type { EncryptedContext } from './records.js'

/**
 * Creates the blob store of an encrypted store. `read` resolves after the first chunk was
 * decrypted, and rejects with a DecryptionError if that fails. A content of one chunk is returned
 * as bytes. If a later chunk cannot be decrypted, the content fails. A content does not hold a key.
 * It asks for the key for each chunk, as a call does, so it fails once the key was dropped and
 * cannot be obtained again.
 */
export function createEncryptedBlobs(context: EncryptedContext): BlobStore {
  const { blobs, acceptsPlaintext } = context
  return {
    async read(id) {
      const envelope = await blobs.read(toInnerBlobId(id))
      if (envelope !== undefined) return decryptContent(context, id, envelope)
      if (!acceptsPlaintext) return undefined
      const plaintext = await blobs.read(id)
      if (plaintext !== undefined) return plaintext
      // Another process may have encrypted the blob between the two calls.
      const newEnvelope = await blobs.read(toInnerBlobId(id))
      return newEnvelope && decryptContent(context, id, newEnvelope)
    },
    async write(id, content) {
      if (acceptsPlaintext && (await exists(blobs, id))) {
        releaseContent(content)
        throw new StorageError('a blob with this id already exists')
      }
      await writeEncrypted(context, id, content)
    },
    async delete(id) {
      await blobs.delete(toInnerBlobId(id))
      if (acceptsPlaintext) await blobs.delete(id)
    },
  }
}

/**
 * Encrypts the plaintext blob with this id, then removes the plaintext. For a moment, and after a
 * crash in between, both exist. Reads then use the encrypted one, and the next call removes the
 * other.
 * @returns true if there was a plaintext blob.
 */
export async function encryptPlaintextBlob(
  context: EncryptedContext,
  id: string,
): Promise<boolean> {
  const { blobs } = context
  const plaintext = await blobs.read(id)
  if (plaintext === undefined) return false
  if (await exists(blobs, toInnerBlobId(id))) releaseContent(plaintext)
  else await writeEncrypted(context, id, plaintext)
  await blobs.delete(id)
  return true
}

async function writeEncrypted(
  { blobs, keys }: EncryptedContext,
  id: string,
  content: BlobContent,
): Promise<void> {
  try {
    const scope = scopeOfBlob(id)
    const { id: keyId } = keys.currentKey(await keys.ensureRing(scope))
    const envelope = encryptChunks(id, () => keys.findKey(scope, keyId), content)
    const isSmall = content instanceof Uint8Array && content.length <= chunkLength
    await blobs.write(toInnerBlobId(id), isSmall ? await collectBytes(envelope) : envelope)
  } catch (error) {
    releaseContent(content, error)
    throw error
  }
}

async function decryptContent(
  { keys }: EncryptedContext,
  id: string,
  envelope: BlobContent,
): Promise<BlobContent> {
  const source = envelope instanceof Uint8Array ? envelope : toChunks(envelope)
  const chunks = decryptChunks(id, (keyId) => keys.findKey(scopeOfBlob(id), keyId), source)
  const first = await chunks.next()
  if (first.done) throw undecryptableError()
  if (first.value.isLast) return first.value.bytes
  return toChunks(joinChunks(first.value, chunks), (reason) => releaseContent(source, reason))
}

async function* joinChunks(first: Chunk, rest: AsyncIterable<Chunk>): AsyncGenerator<Uint8Array> {
  yield first.bytes
  for await (const { bytes } of rest) yield bytes
}

async function exists(blobs: BlobStore, id: string): Promise<boolean> {
  const content = await blobs.read(id)
  releaseContent(content)
  return content !== undefined
}
