/** Deletes an item with its blobs and its archived versions. */

import { notFoundError } from '../../base/fixed-errors.js'
import { itemRecords } from '../../base/stored-records.js'
import { NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { Item } from '../../schema/item.js'
import { type Call, makeChange } from '../operation/call.js'
import { itemChange } from '../runtime/change.js'
import type { Context } from '../runtime/context.js'
import { assertVersion } from '../runtime/optimistic-retry.js'
import { isUnreadableError } from '../runtime/report-unreadable.js'
import { itemKey, type LoadOptions, loadItem, parseHeader, type StoredItem } from './item-record.js'
import { withPendingRemoval } from './pending-removal.js'
import { assertNoFiles, type ItemChange } from './update-item.js'

/** Options of a deletion. */
export interface DeleteOptions extends LoadOptions {
  /** Deletes the item only if this returns true. Default: always. */
  readonly isMatch?: (stored: StoredItem) => boolean
}

/**
 * Deletes an item and returns the number of its blobs. The record is deleted first, because blobs
 * without a reference are collected later, while a record that refers to missing blobs could not be
 * repaired. An item with a chosen id leaves a tombstone.
 *
 * An unreadable item is deleted as well. Its blobs are unknown and are kept. It leaves a tombstone,
 * because its id may have been chosen.
 * @throws NotFoundError, PreconditionFailedError, or ConflictError if concurrent writers won
 * every attempt.
 */
export async function deleteItemRecord(
  call: Call,
  ref: ItemChange,
  options?: DeleteOptions,
): Promise<number> {
  const { context } = call
  const key = itemKey(ref)
  const { records } = context.store
  let blobCount = 0
  await withPendingRemoval(context, ref, (recordRemoval) =>
    context.retry(key, 'item', async () => {
      const { item, blobIds, isIdChosen } = await loadDeletable(context, ref, options)
      assertVersion(item, ref.ifVersion)
      assertNoFiles(context, blobIds.length)
      return makeChange(call, itemChange('item.deleted', item), async () => {
        const pending = await recordRemoval(blobIds)
        blobCount = pending.blobIds.length
        const isDeleted = isIdChosen
          ? await records.put(key, { body: itemRecords.tombstoneOf() }, item.version)
          : await records.delete(key, item.version)
        return isDeleted ? { pending, lastDeleted: item.version } : undefined
      })
    }),
  )
  return blobCount
}

/** The part of an item that its deletion needs. */
interface Deletable {
  readonly item: Pick<Item, 'id' | 'vault' | 'version'>
  readonly blobIds: readonly string[]
  /** True if the id was chosen, or if that is unknown. */
  readonly isIdChosen: boolean
}

async function loadDeletable(
  context: Context,
  ref: ItemRef,
  { isMatch, ...options }: DeleteOptions = {},
): Promise<Deletable> {
  try {
    const stored = await loadItem(context, ref, options)
    if (isMatch?.(stored) === false) throw notFoundError('item', ref.itemId)
    const { blobs, chosenId } = parseHeader(stored)
    const { item } = stored
    return { item, blobIds: Object.values(blobs), isIdChosen: chosenId !== undefined }
  } catch (error) {
    if (isMatch !== undefined || !isUnreadableError(error, itemKey(ref))) throw error
    const { version } = error.record
    const item = { id: ref.itemId, vault: { id: ref.vaultId }, version }
    return { item, blobIds: [], isIdChosen: true }
  }
}

/** Deletes an item in any state and returns the number of its blobs, or 0 if it does not exist. */
export async function deleteItemIfPresent(
  call: Call,
  ref: ItemRef,
  options?: DeleteOptions,
): Promise<number> {
  try {
    return await deleteItemRecord(call, ref, { ...options, includeDeleted: true })
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    return 0
  }
}
