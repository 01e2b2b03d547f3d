/** Finds a file of an item, and its content. */

import type { ItemPlace } from '../dialects/dialect.js'
import { NotFoundError, StorageError } from '../errors.js'
import type { FileDetails } from '../schema/file.js'
import { isFileId } from '../schema/id.js'
import type { Context } from './context.js'
import { readItem } from './read-item.js'

/** Where a file lies. */
export interface FilePlace extends Required<ItemPlace> {
  readonly fileId: string
}

/** A file that was found. */
export interface FoundFile {
  readonly file: FileDetails
  /** Opens the content, checked to be as long as `file` says. @throws StorageError when it is not. */
  open(): Promise<ReadableStream<Uint8Array>>
}

/** @throws NotFoundError if the vault, the item or the file is not there. */
export async function findFile(
  context: Context,
  { fileId, ...place }: FilePlace,
): Promise<FoundFile> {
  const { item, blobs } = await readItem(context, place)
  const file = isFileId(fileId) ? item.files.find(({ id }) => id === fileId) : undefined
  if (file === undefined) throw new NotFoundError('file', fileId)
  return {
    file,
    open: async () => {
      const blobId = blobs[fileId]
      const content = blobId === undefined ? undefined : await context.store.blobs.read(blobId)
      if (content === undefined) throw wrongContent()
      return content.pipeThrough(exactly(file.size))
    },
  }
}

function exactly(size: number): TransformStream<Uint8Array, Uint8Array> {
  let left = size
  return new TransformStream({
    transform(chunk, controller) {
      left -= chunk.length
      if (left < 0) throw wrongContent()
      controller.enqueue(chunk)
    },
    flush() {
      if (left !== 0) throw wrongContent()
    },
  })
}

function wrongContent(): StorageError {
  return new StorageError('the stored content of a file is not what its item says')
}
