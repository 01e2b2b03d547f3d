/** Loads a file of an item and opens its content. */

import { type Chunks, toChunks } from '../../base/blob-content.js'
import { notFoundError } from '../../base/fixed-errors.js'
import { StorageError } from '../../errors.js'
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
  /** Undefined if the item does not have it, although it should. */
  readonly blobId: string | undefined
}

/**
 * Loads a file.
 * @throws NotFoundError for the vault, the item or the file, whichever is missing first.
 */
export async function loadFile(context: Context, ref: FileRef): Promise<LoadedFile> {
  return requireLoadedFile(await loadHeader(context, ref), ref)
}

/** Loads all files of an item, in its order. @throws NotFoundError for the vault or the item. */
export async function loadFiles(context: Context, ref: ItemRef): Promise<readonly LoadedFile[]> {
  const header = await loadHeader(context, ref)
  return header.files.map((file) => toLoadedFile(header, assertOwnFile(file, ref)))
}

/**
 * Returns a file of an item whose header is loaded.
 * @throws NotFoundError if the item has no such file.
 */
export function requireLoadedFile(header: ItemHeader, ref: FileRef): LoadedFile {
  return toLoadedFile(header, requireFile(header, ref))
}

/**
 * Returns the details of a file.
 * @throws NotFoundError if the item has no such file.
 * @throws StorageError if the file belongs to another item.
 */
export function requireFile({ files }: ItemHeader, ref: FileRef): FileDetails {
  const { fileId } = ref
  const file = isFileId(fileId) ? files.find(({ id }) => isSameFileId(id, fileId)) : undefined
  if (file === undefined) throw notFoundError('file', fileId)
  return assertOwnFile(file, ref)
}

function assertOwnFile(file: FileDetails, ref: ItemRef): FileDetails {
  if (file.content_path !== contentPath({ ...ref, fileId: file.id })) throw corruptRecordError()
  return file
}

function toLoadedFile({ blobs }: ItemHeader, file: FileDetails): LoadedFile {
  return { file, blobId: blobs[file.id] }
}

/**
 * Opens the content of a file.
 * @throws StorageError if the content is missing, or if it is bytes and has the wrong length.
 * Chunks fail if their length is wrong.
 */
export async function openContent(
  { store }: Context,
  { file, blobId }: LoadedFile,
): Promise<BlobContent> {
  const content = blobId === undefined ? undefined : await store.blobs.read(blobId)
  if (content === undefined) throw contentMismatchError()
  if (content instanceof Uint8Array) {
    if (content.length !== file.size) throw contentMismatchError()
    return content
  }
  const { guard } = store
  const chunks = toChunks(content)
  return toChunks(() => checkLength(chunks, file.size, guard), chunks.return)
}

/**
 * Returns the path from which the content of a file can be downloaded (contract, sections 2.7 and
 * 9).
 */
export function contentPath({ vaultId, itemId, fileId }: FileRef): string {
  return `/v1/vaults/${vaultId}/items/${itemId}/files/${fileId}/content`
}

/**
 * Yields the content without empty chunks. Throws a StorageError if the store fails or does not
 * respond in time, if the content has not exactly `size` bytes, or after 1,001 empty chunks in a
 * row.
 */
async function* checkLength(
  chunks: Chunks,
  size: number,
  guard: StoreGuard,
): AsyncGenerator<Uint8Array> {
  let remainingBytes = size
  let emptyChunks = 0
  try {
    while (emptyChunks <= maxEmptyChunks) {
      const { done, value } = await wrapStoreErrors(() => chunks.next(), guard)
      remainingBytes -= value?.length ?? 0
      if (remainingBytes < 0 || (done && remainingBytes > 0)) throw contentMismatchError()
      if (done) return
      emptyChunks = value.length === 0 ? emptyChunks + 1 : 0
      if (value.length > 0) yield value
    }
    throw contentMismatchError()
  } finally {
    chunks.return()
  }
}

function contentMismatchError(): StorageError {
  return new StorageError('the stored content of a file does not match its item')
}
