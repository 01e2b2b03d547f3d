/** Removes what names contents of an item, then the contents, under one note however often it is tried. */

import { isVaultError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { Context } from '../runtime/context.js'
import { listBlobIds } from './load-item.js'
import {
  deletePendingBlobs,
  type PendingBlobs,
  recordPendingBlobs,
  renewPendingBlobs,
} from './pending-blobs.js'
import { removeVersions } from './version-records.js'

/** Notes the contents that the next try removes: after the item was read, before it is changed. */
export type NoteRemoval = (blobIds: readonly string[]) => Promise<PendingBlobs>

/**
 * `work` resolves with its latest note when the item does not name the contents any more; `left` is what it names then,
 * undefined if it is gone. Where `work` is refused, the item is read again: a store may do a change and say that it did
 * not. After any other failure the note stays, and `collectGarbage` finds it.
 */
export async function withPendingRemoval(
  context: Context,
  ref: ItemRef,
  left: readonly string[] | undefined,
  work: (note: NoteRemoval) => Promise<PendingBlobs>,
): Promise<void> {
  const noted: { mark?: PendingBlobs } = {}
  const note: NoteRemoval = async (blobIds) => {
    const { mark: pending } = noted
    const renewed = pending && (await renewPendingBlobs(context, { ...pending, blobIds }))
    noted.mark = renewed ?? (await recordPendingBlobs(context, ref, blobIds))
    return noted.mark
  }
  try {
    await removeUnnamed(context, await work(note), left)
  } catch (error) {
    const { mark: pending } = noted
    if (pending && isVaultError(error) && error.status < 500) {
      const read = listBlobIds(context, ref)
      await read.then((named) => removeUnnamed(context, pending, named)).catch(() => {})
    }
    throw error
  }
}

/** Removes the contents that the item does not name, and its versions if it is gone, and forgets the note. */
async function removeUnnamed(
  context: Context,
  pending: PendingBlobs,
  named: readonly string[] | undefined,
): Promise<void> {
  const blobIds = pending.blobIds.filter((id) => !named?.includes(id))
  const versions = named === undefined ? [removeVersions(context, pending)] : []
  await deletePendingBlobs(context, { ...pending, blobIds }, ...versions)
}
