/** Loads a file of an item and opens its content. */

import { NotFoundError, StorageError } from '../../errors.js'
import type { FileDetails } from '../../schema/file.js'
import { type FileRef, type ItemRef, isFileId, isSameFileId } from '../../schema/ids.js'
import type { BlobContent } from '../../store.js'
import type { ItemHeader } from '../records/item-record.js'
import { loadHeader } from '../records/item-record.js'
import { corruptRecordError } from '../records/stored-json.js'
import type { Context } from '../runtime/context.js'
import { type StoreGuard, wrapStoreErrors } from '../runtime/guard-store.js'

/** The maximum number of empty chunks in a row. */
const maxEmptyChunks = 1000

/** A file of a loaded item. */
export interface LoadedFile {
  readonly file: FileDetails
  /**
   * Opens the content.
   * @throws StorageError if the content is missing or has the wrong length. That of a stream is
   * only known when it is read: then the stream fails.
   */
  open(): Promise<BlobContent>
  /** Reads the whole content. @throws StorageError if it is missing or has the wrong length. */
  read(): Promise<Uint8Array>
}

/**
 * Loads a file.
 * @throws NotFoundError for the vault, the item or the file, whichever is missing first.
 */
export async function loadFile(context: Context, ref: FileRef): Promise<LoadedFile> {
  return requireLoadedFile(context, await loadHeader(context, ref), ref)
}

/** Loads all files of an item, in its order. @throws NotFoundError for the vault or the item. */
export async function loadFiles(context: Context, ref: ItemRef): Promise<readonly LoadedFile[]> {
  const header = await loadHeader(context, ref)
  return header.files.map((file) => toLoadedFile(context, header, assertOwnFile(file, ref)))
}

/**
 * Returns a file of an item whose header is loaded.
 * @throws NotFoundError if the item has no such file.
 */
export function requireLoadedFile(context: Context, header: ItemHeader, ref: FileRef): LoadedFile {
  return toLoadedFile(context, header, requireFile(header, ref))
}

/**
 * Returns the details of a file.
 * @throws NotFoundError if the item has no such file, StorageError if the file belongs to another
 * item.
 */
export function requireFile({ files }: ItemHeader, ref: FileRef): FileDetails {
  const { fileId } = ref
  const file = isFileId(fileId) ? files.find(({ id }) => isSameFileId(id, fileId)) : undefined
  if (file === undefined) throw new NotFoundError('file', fileId)
  return assertOwnFile(file, ref)
}

function assertOwnFile(file: FileDetails, ref: ItemRef): FileDetails {
  if (file.content_path !== contentPath({ ...ref, fileId: file.id })) throw corruptRecordError()
  return file
}

function toLoadedFile({ store }: Context, { blobs }: ItemHeader, file: FileDetails): LoadedFile {
  const find = async (): Promise<BlobContent> => {
    const blobId = blobs[file.id]
    const content = blobId === undefined ? undefined : await store.blobs.read(blobId)
    if (content === undefined) throw contentMismatchError()
    if (content instanceof Uint8Array && content.length !== file.size) throw contentMismatchError()
    return content
  }
  return {
    file,
    async open() {
      const content = await find()
      return content instanceof Uint8Array
        ? content
        : toStream(readChunks(content, file.size, store.guard))
    },
    async read() {
      const content = await find()
      if (content instanceof Uint8Array) return content
      const { next } = readChunks(content, file.size, store.guard)
      const bytes = new Uint8Array(file.size)
      let length = 0
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
        bytes.set(chunk, length)
        length += chunk.length
      }
      return bytes
    },
  }
}

/**
 * Returns the path from which the content of a file can be downloaded (contract, sections 2.7 and
 * 9).
 */
export function contentPath({ vaultId, itemId, fileId }: FileRef): string {
  return `/v1/vaults/${vaultId}/items/${itemId}/files/${fileId}/content`
}

/** A stream of the store that is being read. */
interface ChunkReader {
  /** Returns the next chunk, which is not empty; undefined at the end. */
  next(): Promise<Uint8Array | undefined>
  cancel(reason: unknown): Promise<void>
}

/**
 * Reads the content without its empty chunks. `next` rejects with a StorageError, and the content
 * is cancelled, if the store fails or does not respond in time, if the content has not exactly
 * `size` bytes, or after 1,001 empty chunks in a row.
 */
function readChunks(
  content: ReadableStream<Uint8Array>,
  size: number,
  guard: StoreGuard,
): ChunkReader {
  const reader = content.getReader()
  let remainingBytes = size
  return {
    async next() {
      try {
        for (let count = 0; count <= maxEmptyChunks; count++) {
          const { done, value } = await wrapStoreErrors(() => reader.read(), guard)
          remainingBytes -= value?.length ?? 0
          if (remainingBytes < 0 || (done && remainingBytes > 0)) throw contentMismatchError()
          if (done) return undefined
          if (value.length > 0) return value
        }
        throw contentMismatchError()
      } catch (error) {
        reader.cancel().catch(() => {})
        throw error
      }
    },
    cancel: (reason) => wrapStoreErrors(() => reader.cancel(reason), guard),
  }
}

function toStream({ next, cancel }: ChunkReader): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const chunk = await next()
      if (chunk === undefined) controller.close()
      else controller.enqueue(chunk)
    },
    cancel,
  })
}

function contentMismatchError(): StorageError {
  return new StorageError('the stored content of a file does not match its item')
}
