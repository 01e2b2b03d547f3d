/** Removes the references of an item to blobs, then the blobs, under one pending-blob record. */

import { isVaultError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { Context } from '../runtime/context.js'
import { listBlobIds } from './item-record.js'
import {
  deletePendingBlobs,
  type PendingBlobs,
  recordPendingBlobs,
  renewPendingBlobs,
} from './pending-blobs.js'
import { deleteVersions } from './version-records.js'

/**
 * Records the blobs that the next attempt removes, after the item was loaded and before it is
 * written.
 */
export type RecordRemoval = (blobIds: readonly string[]) => Promise<PendingBlobs>

/**
 * Runs `work`, which removes references to blobs from the item and resolves with the last record
 * that it was given. The blobs are deleted then, except those in `remaining`, to which the item
 * still refers; undefined if the item is deleted. If `work` is rejected with an error below 500,
 * the references of the stored item decide, because there are drivers that do a write and report
 * that they did not. After any other error the record is kept for `collectGarbage`.
 */
export async function withPendingRemoval(
  context: Context,
  ref: ItemRef,
  remaining: readonly string[] | undefined,
  work: (recordRemoval: RecordRemoval) => Promise<PendingBlobs>,
): Promise<void> {
  let pending: PendingBlobs | undefined
  const recordRemoval: RecordRemoval = async (blobIds) => {
    const renewed = pending && (await renewPendingBlobs(context, { ...pending, blobIds }))
    pending = renewed ?? (await recordPendingBlobs(context, ref, blobIds))
    return pending
  }
  try {
    await deleteUnreferenced(context, await work(recordRemoval), remaining)
  } catch (error) {
    const last: PendingBlobs | undefined = pending
    if (last !== undefined && isVaultError(error) && error.status < 500) {
      const referenced = listBlobIds(context, ref)
      await referenced.then((ids) => deleteUnreferenced(context, last, ids)).catch(() => {})
    }
    throw error
  }
}

/**
 * Deletes the blobs to which the item does not refer, its versions if it is deleted, and the
 * pending-blob record.
 */
async function deleteUnreferenced(
  context: Context,
  pending: PendingBlobs,
  referenced: readonly string[] | undefined,
): Promise<void> {
  const blobIds = pending.blobIds.filter((id) => !referenced?.includes(id))
  const versions = referenced === undefined ? [deleteVersions(context, pending)] : []
  await deletePendingBlobs(context, { ...pending, blobIds }, ...versions)
}
