/** Settles a pending record: no item can name what its writer was writing once it is swept. */

import { itemKey, parseHeader } from '../records/item-record.js'
import { findAnyItem } from '../records/load-item.js'
import {
  clearPendingBlobs,
  deleteBlobs,
  type PendingBlobs,
  renewPendingBlobs,
} from '../records/pending-blobs.js'
import { withOptimisticRetry, writeItem } from '../records/update-item.js'
import { removeVersions } from '../records/version-records.js'
import { itemChange, withChangeHooks } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'

/** Milliseconds after which a pending record is swept, unless the caller names another age. */
export const defaultMinAgeMs = 3_600_000

/**
 * Whether the pending record is older than that, or dated later than now by as much: its writer's clock was wrong then,
 * and waiting for that date could take for ever. Sweeping too early loses nothing: the upload is refused.
 */
export function isOld({ now }: Context, { since }: PendingBlobs, minAgeMs: number): boolean {
  const age = Math.abs(now().getTime() - since.getTime())
  return !(age < minAgeMs)
}

/**
 * Takes the pending record over, and removes the contents that it lists and the item does not name; if the item is
 * gone, also its versions. Resolves with the number of contents removed; 0 if another sweep was faster, or if the
 * record's writer went on.
 *
 * Its writer may still store such a content after that, and then end before it removes it. So the record stays as one
 * that was swept, and goes when it is swept a second time, with what was stored in between.
 *
 * No clock is relied upon. A writer reads the item, then writes or renews its pending record, then writes the item over
 * the version that it has read. The item is written over here after the pending record was taken, so a writer that
 * still held the record when it looked comes too late for the item, and one that wrote the item first is seen here.
 */
export async function collectPendingBlobs(
  context: Context,
  pending: PendingBlobs,
): Promise<number> {
  if (pending.swept) return sweepAgain(context, pending)
  const mine = await renewPendingBlobs(context, pending)
  if (mine === undefined) return 0
  const { named } = await fenceItem(context, pending)
  const blobIds = pending.blobIds.filter((id) => !named?.has(id))
  const removed = await deleteBlobs(context, pending.vaultId, blobIds)
  if (named === undefined) await removeVersions(context, pending)
  if (removed === 0) await clearPendingBlobs(context, mine)
  else await renewPendingBlobs(context, { ...mine, blobIds, swept: true })
  return removed
}

/** Removes contents that were removed before and counted then. */
async function sweepAgain(context: Context, pending: PendingBlobs): Promise<number> {
  await deleteBlobs(context, pending.vaultId, pending.blobIds)
  await clearPendingBlobs(context, pending)
  return 0
}

/**
 * Makes the item's next version, in which nothing else has changed, so that no change of an earlier one can be stored.
 * Resolves with the contents that it names; without them if there is no item: its id is never used again.
 * @throws ConflictError when others always came first.
 */
function fenceItem(
  context: Context,
  ref: PendingBlobs,
): Promise<{ readonly named?: ReadonlySet<string> }> {
  return withOptimisticRetry(context, itemKey(ref), 'item', async () => {
    const found = await findAnyItem(context, ref)
    if (found === undefined) return {}
    const item = { ...found.item, version: found.item.version + 1 }
    const put = () => writeItem(context, { item, header: found.header, text: JSON.stringify(item) })
    const fenced = await withChangeHooks(context, itemChange('item.updated', item), put)
    return fenced && { named: new Set(Object.values(parseHeader(fenced.header).blobs)) }
  })
}
