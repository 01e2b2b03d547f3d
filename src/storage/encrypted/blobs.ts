/** Contents that the store beneath sees only sealed, in chunks, as they come and go. */

import { StorageError } from '../../errors.js'
import type { BlobStore } from '../../store.js'
import { readBytes, streamOf } from './envelope/byte-reader.js'
import { decryptChunks, encryptChunks } from './envelope/stream-envelope.js'
import type { EncryptedContext } from './records.js'
import { scopeOfBlob, toInnerBlobId } from './scopes.js'

/** The contents of a store, sealed. The first chunk of a content is opened before `read` resolves. */
export function createEncryptedBlobs(context: EncryptedContext): BlobStore {
  const { blobs, plaintext } = context
  return {
    async read(id) {
      const sealed = await blobs.read(toInnerBlobId(id))
      if (sealed !== undefined) return decryptStream(context, id, sealed)
      if (plaintext === undefined) return undefined
      const plain = await blobs.read(id)
      if (plain !== undefined) return plain
      const sealedMeanwhile = await blobs.read(toInnerBlobId(id))
      return sealedMeanwhile && decryptStream(context, id, sealedMeanwhile)
    },
    async write(id, content) {
      if (plaintext !== undefined && (await exists(blobs, id))) {
        await content.cancel()
        throw new StorageError('a blob of this id is already there')
      }
      await writeSealed(context, id, content)
    },
    async delete(id) {
      await blobs.delete(toInnerBlobId(id))
      if (plaintext !== undefined) await blobs.delete(id)
    },
  }
}

/**
 * Seals the content that lies plain under the id, and then removes the plain one; resolves with whether there was one.
 * Both are there for a moment, and still after a crash: the sealed one is read, and the next call removes the other.
 */
export async function sealPlainBlob(context: EncryptedContext, id: string): Promise<boolean> {
  const { blobs } = context
  const plain = await blobs.read(id)
  if (plain === undefined) return false
  if (await exists(blobs, toInnerBlobId(id))) await plain.cancel()
  else await writeSealed(context, id, plain)
  await blobs.delete(id)
  return true
}

async function writeSealed(
  { blobs, keys }: EncryptedContext,
  id: string,
  content: ReadableStream<Uint8Array>,
): Promise<void> {
  const scope = scopeOfBlob(id)
  const key = await keys.current(scope, await keys.ensure(scope))
  const source = readBytes(content)
  await blobs.write(toInnerBlobId(id), streamOf(encryptChunks(id, key, source), source))
}

async function decryptStream(
  { keys }: EncryptedContext,
  id: string,
  sealed: ReadableStream<Uint8Array>,
): Promise<ReadableStream<Uint8Array>> {
  const source = readBytes(sealed)
  const chunks = decryptChunks(id, (keyId) => keys.byId(scopeOfBlob(id), keyId), source)
  try {
    const first = await chunks.next()
    return streamOf(prepend(first, chunks), source)
  } catch (error) {
    await source.cancel().catch(() => {})
    throw error
  }
}

/** What was taken from the iterator already, then the rest of it. */
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
  await content?.cancel()
  return content !== undefined
}
