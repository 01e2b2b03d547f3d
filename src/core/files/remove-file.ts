/** Removes a file from an item for good. */

import { NotFoundError } from '../../errors.js'
import { type FileRef, isSameFileId } from '../../schema/ids.js'
import { parseIfVersion } from '../../schema/inputs.js'
import type { Item } from '../../schema/item.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { parseHeader } from '../records/item-record.js'
import type { PendingBlobs } from '../records/pending-blobs.js'
import { withPendingRemoval } from '../records/removing-blobs.js'
import { assertNotArchived, updateItem } from '../records/update-item.js'
import type { Context } from '../runtime/context.js'
import { requireFile } from './load-file.js'

/** What `removeFile` is told. */
export interface RemoveFileInput extends FileRef {
  /** Removes the file only from this version of the item. */
  readonly ifVersion?: number | undefined
}

/**
 * The operation `removeFile` of the service. The item's next version is without the file, then the content goes: a file
 * that is seen is whole. A content that cannot be removed is left for `collectGarbage`. Older versions that are kept still
 * describe the file; its content is gone with it.
 */
export async function removeFile(
  context: Context,
  caller: Caller | undefined,
  input: RemoveFileInput,
): Promise<void> {
  const { vaultId, itemId, fileId } = input
  const editor = await authorize(caller, { vaultId, itemId, fileId }, 'write')
  const ifVersion = parseIfVersion(input)
  const ref = { vaultId, itemId, fileId, ifVersion }
  await withPendingRemoval(context, ref, [], async (note) => {
    let pending!: PendingBlobs
    await updateItem(context, editor, ref, (item) => withoutFile(item, fileId), {
      commit: async ({ header: line }, put) => {
        const header = parseHeader(line)
        requireFile(header, ref)
        const removed = Object.entries(header.blobs).flatMap(([id, blobId]) =>
          isSameFileId(id, fileId) ? [blobId] : [],
        )
        pending = await note(removed)
        return put()
      },
    })
    return pending
  })
}

/** @throws NotFoundError if there is no such file, InvalidInputError if the item is archived. */
function withoutFile(item: Item, fileId: string): Item {
  const files = item.files.filter(({ id }) => !isSameFileId(id, fileId))
  if (files.length === item.files.length) throw new NotFoundError('file', fileId)
  return { ...assertNotArchived(item), files }
}
