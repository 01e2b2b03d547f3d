/**
 * Stores blobs in etcd. A small blob is the value of one key. For a large blob, a writer first
 * claims the id with a key that contains its random token. Chunks have the token in their keys, and
 * are written only while the claim exists. The last transaction replaces the claim with the number
 * of chunks, and only then can the blob be read. A writer whose claim was deleted can neither
 * complete its blob nor leave a chunk behind.
 */

import { toBase64 } from '../../base/base64.js'
import { releaseContent } from '../../base/blob-content.js'
import { ContentTooLargeError, StorageError } from '../../errors.js'
import type { BlobStore } from '../../store.js'
import { cutContent, openChunks } from '../chunks.js'
import type { EtcdConnection } from './connection.js'
import { unexpectedAnswerError } from './errors.js'
import { type Base64, decodeBytes, encodeText, type KeyNames, rangeOf } from './keys.js'
import {
  type Compare,
  hasValue,
  hasVersion,
  type Operation,
  put,
  remove,
  wasCreatedAt,
} from './transaction.js'

/** Bytes of every chunk except the last, and of the largest blob that is one value. */
const maxChunkBytes = 512 * 1024

/** The first three bytes of a value (four characters of base64) are its kind. */
const wholeKind = encodeText('all')

/** Creates the blob store. A blob has at most `maxBlobBytes` bytes, a value `maxValueBytes`. */
export function createEtcdBlobs(
  connection: EtcdConnection,
  names: KeyNames,
  maxBlobBytes: number,
  maxValueBytes: number,
): BlobStore {
  const chunkSize = Math.min(maxChunkBytes, maxValueBytes)
  return {
    async read(id) {
      const key = names.blob(id)
      const [found, ...others] = await connection.range({ key })
      if (found === undefined) return undefined
      if (found.key !== key || others.length > 0) throw unexpectedAnswerError()
      if (found.value.startsWith(wholeKind)) return decodeBytes(found.value.slice(wholeKind.length))
      const { writer, count } = parseDescription(decodeBytes(found.value))
      if (count === undefined) return undefined
      return openChunks(count, async (number) => {
        const [chunk] = await connection.range({ key: names.chunk(id, writer, number) })
        if (chunk === undefined) throw new StorageError('a chunk of the blob is missing')
        return decodeBytes(chunk.value)
      })
    },
    async write(id, content) {
      const writer = createWriter(connection, names, id, maxBlobBytes)
      try {
        if (content instanceof Uint8Array) writer.checkSize(content.length)
        for await (const { bytes, isLast } of cutContent(content, chunkSize))
          await (isLast ? writer.complete(bytes) : writer.append(bytes))
      } catch (error) {
        await writer.abort().catch(() => {})
        releaseContent(content, error)
        throw error
      }
    },
    async delete(id) {
      const success = [remove({ key: names.blob(id) }), remove(rangeOf(names.chunks(id)))]
      await connection.write({ success })
    },
  }
}

interface BlobWriter {
  /** @throws ContentTooLargeError (413) if this many more bytes would be too many. */
  checkSize(bytes: number): void
  /** Writes a chunk that is not the last one. Claims the id before the first one. */
  append(chunk: Uint8Array): Promise<void>
  /** Writes the last chunk, after which the blob can be read. */
  complete(rest: Uint8Array): Promise<void>
  /** Removes what was written, if a chunk was. */
  abort(): Promise<void>
}

function createWriter(
  connection: EtcdConnection,
  names: KeyNames,
  id: string,
  maxBlobBytes: number,
): BlobWriter {
  const key = names.blob(id)
  const writer = crypto.randomUUID()
  const claim = encodeText(`new ${writer}`)
  let bytes = 0
  let count = 0
  // The condition that the claim, or the blob that has replaced it, exists.
  let isOwner: Compare | undefined

  const checkSize = (more: number): void => {
    if (bytes + more > maxBlobBytes)
      throw new ContentTooLargeError(`a file in etcd can have at most ${maxBlobBytes} bytes`)
  }
  /** @returns The revision at which the blob or its claim was created. */
  const create = async (value: Base64): Promise<string> => {
    const compare = [hasVersion(key, 0)]
    const { succeeded, revision } = await connection.write({ compare, success: [put(key, value)] })
    if (!succeeded) throw new StorageError('a blob with this id already exists')
    return revision
  }
  const extend = async (compare: Compare, success: readonly Operation[]): Promise<void> => {
    const { succeeded } = await connection.write({ compare: [compare], success })
    if (!succeeded) throw new StorageError('the blob was deleted while it was written')
  }
  const storeChunk = (chunk: Uint8Array): Operation =>
    put(names.chunk(id, writer, count), toBase64(chunk))
  return {
    checkSize,
    async append(chunk) {
      checkSize(chunk.length)
      if (isOwner === undefined) {
        // The claim may be stored although its answer was lost.
        isOwner = hasValue(key, claim)
        isOwner = wasCreatedAt(key, await create(claim))
      }
      await extend(isOwner, [storeChunk(chunk)])
      bytes += chunk.length
      count++
    },
    async complete(rest) {
      checkSize(rest.length)
      if (isOwner === undefined) return void (await create(wholeKind + toBase64(rest)))
      const description = encodeText(`end ${writer} ${count + 1}`)
      await extend(isOwner, [storeChunk(rest), put(key, description)])
    },
    async abort() {
      if (isOwner === undefined) return
      const success = [remove({ key }), remove(rangeOf(`${names.chunks(id)}${writer}\0`))]
      await connection.write({ compare: [isOwner], success })
    },
  }
}

/** Reads the description of a blob in chunks. `count` is undefined if it is not complete. */
function parseDescription(value: Uint8Array): { writer: string; count: number | undefined } {
  const text = new TextDecoder().decode(value)
  const [, writer, count] = /^(?:new|end) ([\da-f-]{36})(?: (\d{1,15}))?$/.exec(text) ?? []
  if (writer === undefined || text.startsWith('end') !== (count !== undefined))
    throw unexpectedAnswerError()
  return { writer, count: count === undefined ? undefined : Number(count) }
}
