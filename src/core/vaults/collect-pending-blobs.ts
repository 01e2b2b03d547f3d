/** Collects the garbage of one pending-blob record. Afterwards, no item can refer to its blobs. */

import type { ItemRef } from '../../schema/ids.js'
import { type Call, makeChange } from '../operation/call.js'
import {
  type ItemReferences,
  isItemRecord,
  itemKey,
  parseItemRecord,
  referencesOf,
} from '../records/item-record.js'
import {
  clearPendingBlobs,
  deleteBlobs,
  type PendingBlobs,
  renewPendingBlobs,
} from '../records/pending-blobs.js'
import { writeNextVersion } from '../records/update-item.js'
import { deleteVersions } from '../records/version-records.js'
import { itemChange } from '../runtime/change.js'
import type { Context } from '../runtime/context.js'

/** The age in milliseconds from which a pending-blob record is collected by default. */
export const defaultMinAgeMs = 3_600_000

/**
 * Returns true if the record is at least this old, or dated at least this far in the future. In the
 * second case its writer's clock was wrong, and waiting for that date might take forever.
 * Collecting a record too early loses no acknowledged data, because the upload is then rejected.
 */
export function isOld({ now }: Context, { since }: PendingBlobs, minAgeMs: number): boolean {
  const ageMs = Math.abs(now().getTime() - since.getTime())
  return !(ageMs < minAgeMs)
}

/**
 * Takes the record over and deletes its blobs to which the item does not refer. The archived
 * versions of a deleted item are deleted as well. The writer may still write such a blob after
 * that, and crash before it deletes it. Therefore the record is kept, marked as collected, and is
 * deleted when it is collected a second time, together with whatever was written in between.
 *
 * This relies on no clock. A writer loads the item, then writes or renews its record, then writes
 * the item over the version that it has loaded. Here the item is written after the record was taken
 * over. A writer that renewed its record before that loses the race for the item. An item that was
 * written before that is loaded here, with its references.
 * @returns The number of deleted blobs. 0 if the writer has changed the record, or another process
 * has collected it.
 */
export async function collectPendingBlobs(call: Call, pending: PendingBlobs): Promise<number> {
  const { context } = call
  if (pending.collected) return collectAgain(context, pending)
  const own = await renewPendingBlobs(context, pending)
  if (own === undefined) return 0
  const { blobIds: referenced, lastDeleted } = await fenceItem(call, pending)
  const blobIds = pending.blobIds.filter((id) => !referenced.includes(id))
  const deleted = await deleteBlobs(context, pending.vaultId, blobIds)
  if (lastDeleted > 0) await deleteVersions(context, pending, lastDeleted)
  if (deleted === 0) await clearPendingBlobs(context, own)
  else await renewPendingBlobs(context, { ...own, blobIds, collected: true })
  return deleted
}

/** Deletes the blobs of a record that was collected before. They are already counted. */
async function collectAgain(context: Context, pending: PendingBlobs): Promise<number> {
  await deleteBlobs(context, pending.vaultId, pending.blobIds)
  await clearPendingBlobs(context, pending)
  return 0
}

/**
 * Writes the next version of the item without any other change, so that no update of an earlier
 * version can be written.
 * @returns The references of the item. No blobs if it does not exist, because neither a random id
 * nor a version of a chosen id is ever used again.
 * @throws ConflictError if concurrent writers won every attempt.
 */
function fenceItem(call: Call, ref: ItemRef): Promise<ItemReferences> {
  const { context } = call
  return context.retry(itemKey(ref), 'item', async () => {
    const record = await context.store.records.get(itemKey(ref))
    const references = referencesOf(record, ref)
    if (!isItemRecord(record)) return references
    const stored = parseItemRecord(record, ref)
    const item = { ...stored.item, version: stored.item.version + 1 }
    const next = { item, header: stored.header, text: JSON.stringify(item) }
    const write = () => writeNextVersion(context, stored, next)
    const isWritten = await makeChange(call, itemChange('item.updated', item), write)
    return isWritten ? references : undefined
  })
}
