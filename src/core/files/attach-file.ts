/** Adds a file to an item. */

import { ConflictError, InvalidInputError, isVaultError } from '../../errors.js'
import type { FileDetails } from '../../schema/file.js'
import { type ItemRef, isSameFileId } from '../../schema/ids.js'
import { attachFileInputSchema } from '../../schema/inputs.js'
import type { Item } from '../../schema/item.js'
import * as z from '../../schema/zod.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { assertNotArchived } from '../records/change-item.js'
import { loadItem, loadReferences } from '../records/item-record.js'
import {
  dropPendingBlobs,
  recordPendingBlobs,
  renewPendingBlobs,
} from '../records/pending-blobs.js'
import { updateItem } from '../records/update-item.js'
import { itemChange } from '../runtime/change.js'
import type { Context } from '../runtime/context.js'
import {
  checkCount,
  checkFileName,
  checkSize,
  checkStrings,
  type ItemLimits,
} from '../runtime/limits.js'
import { assertVersion } from '../runtime/optimistic-retry.js'
import { newId, newUuid } from '../runtime/random.js'
import { contentPath } from './load-file.js'
import { assertNotErrored, storeContent, toBlobContent } from './store-content.js'

/** Input of `attachFile`. */
export interface AttachFileInput {
  readonly vaultId: string
  readonly itemId: string
  /** At least one character. Several files can have the same name. */
  readonly name: string
  /**
   * The bytes of the file, at once or in chunks: a web stream, a Node stream, a generator or any
   * other async iterable. A stream must be unread and not locked. Chunks are read once, to their
   * end, while they are stored, and are never all in memory. If storing them fails, their source is
   * released. If the call is rejected before it reads any chunk, for example with 404, you can pass
   * them again, or must release them yourself.
   */
  readonly content: Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>
  /** The id of the section that contains the file. By default the file is in no section. */
  readonly sectionId?: string | undefined
  /**
   * The id of the new file, which no other file of the item has: 26 characters of `0-9 a-z`, or a
   * UUID (RFC 9562), stored in lower case. Default: a random id.
   */
  readonly fileId?: string | undefined
  /**
   * Adds the file only to this version of the item. This is checked before and after the content is
   * read.
   */
  readonly ifVersion?: number | undefined
}

/**
 * Adds a file to an item. The content is written first, then the item that refers to it, so a
 * listed file always has its content. If the item rejects the file, the content is deleted again.
 * If the store fails in between, the content is left for `collectGarbage`, because the item may
 * refer to it.
 */
export const attachFile = defineOperation({
  name: 'attachFile',
  summary: 'Adds a file to an item',
  target: 'item',
  permissions: ['write'],
  activity: ['UPDATE', 'ITEM'],
  joinsTransactions: false,
  errors: generateErrors,
  input: z.extend(attachFileInputSchema, { content: z.unknown() }),
  async run(call, { vaultId, itemId, ...input }): Promise<FileDetails> {
    const { context } = call
    const ref = { vaultId, itemId }
    const { name, sectionId, ifVersion } = input
    const fileId = input.fileId?.toLowerCase() ?? newFileId(context)
    checkStrings({ name, sectionId }, context.limits)
    checkFileName(name, context.limits)
    const content = toBlobContent(input.content)
    const toDetails = (size: number): FileDetails => ({
      id: fileId,
      name,
      size,
      content_path: contentPath({ ...ref, fileId }),
      ...(sectionId !== undefined && { section: { id: sectionId } }),
    })
    const { item } = await loadItem(context, ref)
    addFile(assertNotArchived(item), toDetails(0), context.limits)
    assertVersion(item, ifVersion)
    await assertNotErrored(content)
    const nextItem = { ...item, version: item.version + 1 }
    await call.beginChange(itemChange('item.updated', nextItem), fileId)
    return withPendingBlob(context, ref, async (blobId, renew) => {
      const file = toDetails(await storeContent(context, blobId, content, call.assertNotExpired))
      const update = (before: Item): Item =>
        addFile(assertNotArchived(before), file, context.limits)
      await updateItem(call, { ...ref, ifVersion }, update, {
        addedBlobs: { [fileId]: blobId },
        // After the item is loaded and before it is written: `collectPendingBlobs` relies on this
        // order.
        commit: async (_, put) => {
          await renew()
          return put()
        },
      })
      return file
    })
  },
})

/** Returns a random id for a file, in the form of the dialect. */
function newFileId({ dialect, randomBytes }: Context): string {
  return dialect.fileIds === 'uuid' ? newUuid(randomBytes) : newId(randomBytes)
}

/**
 * Runs `work`, which writes a blob and the item that refers to it, while a pending-blob record
 * lists that blob.
 */
async function withPendingBlob<Result>(
  context: Context,
  ref: ItemRef,
  work: (blobId: string, renew: () => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const blobId = `${ref.vaultId}/${newId(context.randomBytes)}`
  let pending = await recordPendingBlobs(context, ref, [blobId])
  const renew = async (): Promise<void> => {
    const renewed = await renewPendingBlobs(context, pending)
    if (renewed === undefined)
      throw new ConflictError('garbage collection deleted the file before it was complete')
    pending = renewed
  }
  try {
    const result = await work(blobId, renew)
    await dropPendingBlobs(context, pending)
    return result
  } catch (error) {
    // After such a store error, the item may or may not refer to the blob.
    const isOutcomeUnknown = isVaultError(error) && error.status >= 500
    if (!isOutcomeUnknown && (await deleteUnreferencedBlob(context, ref, blobId)))
      await dropPendingBlobs(context, pending)
    throw error
  }
}

/**
 * Deletes the blob, unless the item refers to it after all. Some drivers do a write and report that
 * they did not.
 * @returns True if the blob was deleted.
 */
async function deleteUnreferencedBlob(
  context: Context,
  ref: ItemRef,
  blobId: string,
): Promise<boolean> {
  try {
    if ((await loadReferences(context, ref)).blobIds.includes(blobId)) return false
    await context.store.blobs.delete(blobId)
    return true
  } catch {
    return false
  }
}

/**
 * Returns the item with this file added.
 * @throws InvalidInputError if the item cannot contain it.
 */
function addFile(item: Item, file: FileDetails, limits: ItemLimits): Item {
  const { section } = file
  if (item.files.some(({ id }) => isSameFileId(id, file.id))) {
    throw InvalidInputError.at('fileId', 'must not be the id of another file of the item')
  }
  if (section !== undefined && !item.sections.some(({ id }) => id === section.id)) {
    throw InvalidInputError.at('sectionId', 'must be the id of a section of the item')
  }
  const changedItem = { ...item, files: [...item.files, file] }
  checkCount(changedItem.files, 'files', limits.files)
  checkSize(JSON.stringify(changedItem), limits)
  return changedItem
}
