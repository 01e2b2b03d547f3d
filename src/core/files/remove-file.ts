/** Removes a file from an item. */

import { notFoundError } from '../../base/fixed-errors.js'
import { type FileRef, isSameFileId } from '../../schema/ids.js'
import { ifVersionInputSchema } from '../../schema/inputs.js'
import type { Item } from '../../schema/item.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { assertNotArchived } from '../records/change-item.js'
import { parseHeader } from '../records/item-record.js'
import type { PendingBlobs } from '../records/pending-blobs.js'
import { withPendingRemoval } from '../records/pending-removal.js'
import { updateItem } from '../records/update-item.js'
import { requireFile } from './load-file.js'

/** Input of `removeFile`. */
export interface RemoveFileInput extends FileRef {
  /** Removes the file only if this is the item's version. */
  readonly ifVersion?: number | undefined
}

/**
 * Removes a file from an item permanently. First the item's next version is written without the
 * file, and then the content is deleted, so a listed file always has its content. If the content
 * cannot be deleted, it is left for `collectGarbage`. Archived versions still list the file, but
 * its content is gone.
 */
export const removeFile = defineOperation({
  name: 'removeFile',
  summary: 'Removes a file from an item permanently',
  target: 'file',
  permissions: ['write'],
  activity: ['UPDATE', 'ITEM'],
  joinsTransactions: false,
  errors: generateErrors,
  input: ifVersionInputSchema,
  async run(call, ref) {
    const { fileId } = ref
    await withPendingRemoval(call.context, ref, async (recordRemoval) => {
      let pending!: PendingBlobs
      await updateItem(call, ref, (item) => withoutFile(item, fileId), {
        commit: async (before, put) => {
          const header = parseHeader(before)
          requireFile(header, ref)
          const blobIds = Object.entries(header.blobs).flatMap(([id, blobId]) =>
            isSameFileId(id, fileId) ? [blobId] : [],
          )
          pending = await recordRemoval(blobIds)
          return put()
        },
      })
      return { pending }
    })
  },
})

/**
 * Returns the item without the file.
 * @throws NotFoundError if it has no such file.
 * @throws InvalidInputError if it is archived.
 */
function withoutFile(item: Item, fileId: string): Item {
  const files = item.files.filter(({ id }) => !isSameFileId(id, fileId))
  if (files.length === item.files.length) throw notFoundError('file', fileId)
  return { ...assertNotArchived(item), files }
}
