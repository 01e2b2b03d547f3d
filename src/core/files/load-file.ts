/** Finds a file of an item, and its content. */

import { NotFoundError, StorageError } from '../../errors.js'
import type { FileDetails } from '../../schema/file.js'
import { type FileRef, type ItemRef, isFileId, isSameFileId } from '../../schema/ids.js'
import type { ItemHeader } from '../records/item-record.js'
import { loadHeader } from '../records/load-item.js'
import { corruptRecordError } from '../records/stored-json.js'
import type { Context } from '../runtime/context.js'
import { type StoreGuard, wrapStoreErrors } from '../runtime/guard-store.js'

/** Empty chunks that a store may hand out one after the other. */
const maxEmptyChunks = 1000

/** A file that was found. */
export interface LoadedFile {
  readonly file: FileDetails
  /** Opens the content, checked to be as long as `file` says. @throws StorageError when it is not. */
  open(): Promise<ReadableStream<Uint8Array>>
}

/** @throws NotFoundError for the vault, the item or the file, whichever is missing first. */
export async function loadFile(context: Context, ref: FileRef): Promise<LoadedFile> {
  return fileOf(context, await loadHeader(context, ref), ref)
}

/** The file of an item whose head was read. @throws NotFoundError if the item has no such file. */
export function fileOf(context: Context, header: ItemHeader, ref: FileRef): LoadedFile {
  return found(context, header, requireFile(header, ref))
}

/** Every file of the item, in its order. @throws NotFoundError if the vault or the item is not there. */
export async function findFiles(context: Context, ref: ItemRef): Promise<readonly LoadedFile[]> {
  const header = await loadHeader(context, ref)
  return header.files.map((file) => found(context, header, checked(file, ref)))
}

/** The file that is named. @throws NotFoundError if the item has no such file, StorageError if it is another item's. */
export function requireFile({ files }: ItemHeader, ref: FileRef): FileDetails {
  const { fileId } = ref
  const file = isFileId(fileId) ? files.find(({ id }) => isSameFileId(id, fileId)) : undefined
  if (file === undefined) throw new NotFoundError('file', fileId)
  return checked(file, ref)
}

function checked(file: FileDetails, ref: ItemRef): FileDetails {
  if (file.content_path !== contentPath({ ...ref, fileId: file.id })) throw corruptRecordError()
  return file
}

function found({ store }: Context, { blobs }: ItemHeader, file: FileDetails): LoadedFile {
  return {
    file,
    open: async () => {
      const blobId = blobs[file.id]
      const content = blobId === undefined ? undefined : await store.blobs.read(blobId)
      if (content === undefined) throw contentMismatchError()
      return exactly(content, file.size, store.guard)
    },
  }
}

/** Where the content of a file can be downloaded (contract, sections 2.7 and 9). */
export function contentPath({ vaultId, itemId, fileId }: FileRef): string {
  return `/v1/vaults/${vaultId}/items/${itemId}/files/${fileId}/content`
}

/**
 * The same content without its empty chunks, which fails if the store does or keeps a reader waiting, if it is not as
 * long as it should be, or if its empty chunks do not end.
 */
function exactly(
  content: ReadableStream<Uint8Array>,
  size: number,
  guard: StoreGuard,
): ReadableStream<Uint8Array> {
  const reader = content.getReader()
  let left = size
  return new ReadableStream({
    async pull(controller) {
      try {
        for (let count = 0; count <= maxEmptyChunks; count++) {
          const { done, value } = await wrapStoreErrors(() => reader.read(), guard)
          left -= value?.length ?? 0
          if (left < 0 || (done && left > 0)) throw contentMismatchError()
          if (done) return controller.close()
          if (value.length > 0) return controller.enqueue(value)
        }
        throw contentMismatchError()
      } catch (error) {
        reader.cancel().catch(() => {})
        throw error
      }
    },
    cancel: (reason) => wrapStoreErrors(() => reader.cancel(reason), guard),
  })
}

function contentMismatchError(): StorageError {
  return new StorageError('the stored content of a file is not what its item says')
}
