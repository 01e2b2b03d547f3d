/** Deletes an item with its blobs and its archived versions. */

import { NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import { itemChange, withChangeHooks } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'
import { assertVersion } from '../runtime/optimistic-retry.js'
import { itemKey, type LoadOptions, loadItem, parseHeader } from './item-record.js'
import { withPendingRemoval } from './pending-removal.js'
import type { ItemChange } from './update-item.js'

/**
 * Deletes an item and returns the number of its blobs. The record is deleted first: blobs without a
 * reference are collected, while a record that refers to missing blobs could not be repaired.
 * @throws NotFoundError, PreconditionFailedError, or ConflictError if concurrent writers won
 * every attempt.
 */
export async function deleteItemRecord(
  context: Context,
  ref: ItemChange,
  options?: LoadOptions,
): Promise<number> {
  const key = itemKey(ref)
  let blobCount = 0
  await withPendingRemoval(context, ref, undefined, (recordRemoval) =>
    context.retry(key, 'item', async () => {
      const { item, header } = await loadItem(context, ref, options)
      assertVersion(item, ref.ifVersion)
      return withChangeHooks(context, itemChange('item.deleted', item), async () => {
        const pending = await recordRemoval(Object.values(parseHeader(header).blobs))
        blobCount = pending.blobIds.length
        return (await context.store.records.delete(key, item.version)) ? pending : undefined
      })
    }),
  )
  return blobCount
}

/** Deletes an item in any state and returns the number of its blobs; 0 if it does not exist. */
export async function deleteItemIfPresent(context: Context, ref: ItemRef): Promise<number> {
  try {
    return await deleteItemRecord(context, ref, { includeDeleted: true })
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    return 0
  }
}
