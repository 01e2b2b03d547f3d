/** Deletes an item with its blobs and its archived versions. */

import { NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import { itemChange, withChangeHooks } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'
import { assertVersion } from '../runtime/optimistic-retry.js'
import {
  itemKey,
  itemTombstone,
  type LoadOptions,
  loadItem,
  parseHeader,
  type StoredItem,
} from './item-record.js'
import { withPendingRemoval } from './pending-removal.js'
import type { ItemChange } from './update-item.js'

/** Options of a deletion. */
export interface DeleteOptions extends LoadOptions {
  /** Deletes the item only if this returns true; any item if absent. */
  readonly isMatch?: (stored: StoredItem) => boolean
}

/**
 * Deletes an item and returns the number of its blobs. The record is deleted first: blobs without a
 * reference are collected, while a record that refers to missing blobs could not be repaired. An
 * item with a chosen id leaves a tombstone.
 * @throws NotFoundError, PreconditionFailedError, or ConflictError if concurrent writers won
 * every attempt.
 */
export async function deleteItemRecord(
  context: Context,
  ref: ItemChange,
  { isMatch = () => true, ...options }: DeleteOptions = {},
): Promise<number> {
  const key = itemKey(ref)
  const { records } = context.store
  let blobCount = 0
  await withPendingRemoval(context, ref, (recordRemoval) =>
    context.retry(key, 'item', async () => {
      const stored = await loadItem(context, ref, options)
      if (!isMatch(stored)) throw new NotFoundError('item', ref.itemId)
      const { item, header } = stored
      assertVersion(item, ref.ifVersion)
      return withChangeHooks(context, itemChange('item.deleted', item), async () => {
        const { blobs, chosenId } = parseHeader(header)
        const pending = await recordRemoval(Object.values(blobs))
        blobCount = pending.blobIds.length
        const isDeleted =
          chosenId === undefined
            ? await records.delete(key, item.version)
            : await records.put(key, itemTombstone, item.version)
        return isDeleted ? { pending, lastDeleted: item.version } : undefined
      })
    }),
  )
  return blobCount
}

/** Deletes an item in any state and returns the number of its blobs; 0 if it does not exist. */
export async function deleteItemIfPresent(
  context: Context,
  ref: ItemRef,
  options?: DeleteOptions,
): Promise<number> {
  try {
    return await deleteItemRecord(context, ref, { ...options, includeDeleted: true })
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    return 0
  }
}
