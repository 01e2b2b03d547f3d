/** Removes the references of an item to blobs, then the blobs, under one pending-blob record. */

import { isVaultError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { Context } from '../runtime/context.js'
import { type ItemReferences, loadReferences } from './item-record.js'
import {
  deletePendingBlobs,
  type PendingBlobs,
  recordPendingBlobs,
  renewPendingBlobs,
} from './pending-blobs.js'
import { deleteVersions } from './version-records.js'

/**
 * Records the blobs that the next attempt removes. Call it after the item was loaded and before it
 * is written.
 */
export type RecordRemoval = (blobIds: readonly string[]) => Promise<PendingBlobs>

/** A removal that was written. */
export interface Removal {
  /** The last pending-blob record of the removal. */
  readonly pending: PendingBlobs
  /** The last version of the item, if it was deleted. */
  readonly lastDeleted?: number
}

/**
 * Runs `work`, which removes references to blobs from the item. Then deletes the blobs, and the
 * archived versions of a deleted item. If `work` rejects with a status below 500, only blobs to
 * which the stored item does not refer are deleted, because some drivers do a write and report that
 * they did not. After any other error, the pending-blob record is kept for `collectGarbage`.
 */
export async function withPendingRemoval(
  context: Context,
  ref: ItemRef,
  work: (recordRemoval: RecordRemoval) => Promise<Removal>,
): Promise<void> {
  let pending: PendingBlobs | undefined
  const recordRemoval: RecordRemoval = async (blobIds) => {
    const renewed = pending && (await renewPendingBlobs(context, { ...pending, blobIds }))
    pending = renewed ?? (await recordPendingBlobs(context, ref, blobIds))
    return pending
  }
  try {
    const { pending, lastDeleted = 0 } = await work(recordRemoval)
    await deleteUnreferenced(context, pending, { blobIds: [], lastDeleted })
  } catch (error) {
    const last: PendingBlobs | undefined = pending
    if (last !== undefined && isVaultError(error) && error.status < 500) {
      const referenced = loadReferences(context, ref)
      await referenced.then((found) => deleteUnreferenced(context, last, found)).catch(() => {})
    }
    throw error
  }
}

/**
 * Deletes the blobs to which the item does not refer, the archived versions of deleted items, and
 * the pending-blob record.
 */
async function deleteUnreferenced(
  context: Context,
  pending: PendingBlobs,
  referenced: ItemReferences,
): Promise<void> {
  const { lastDeleted } = referenced
  const blobIds = pending.blobIds.filter((id) => !referenced.blobIds.includes(id))
  const versions = lastDeleted > 0 ? [deleteVersions(context, pending, lastDeleted)] : []
  await deletePendingBlobs(context, { ...pending, blobIds }, ...versions)
}
