/** Removes what a crash has left behind: contents that no item names, and versions of items that are gone. */

import { sweepInputSchema } from '../schema/file.js'
import { parse } from '../schema/parse.js'
import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { removeVersions } from './item-versions.js'
import { type BlobMark, markCollection, markIn, renewMark, unmarkBlobs } from './mark-blobs.js'
import { permit } from './permit.js'
import { namedBlobs } from './read-item.js'
import { requireVault } from './read-vault.js'
import { walkRecords } from './walk-records.js'

const anHour = 3_600_000

/** What `sweepBlobs` is told. */
export interface SweepBlobsInput {
  readonly vaultId: string
  /**
   * Milliseconds, 60,000 or more; 3,600,000 if absent. What began later is left alone, because somebody may still be
   * at work on it: an upload that takes longer is refused in the end.
   */
  readonly olderThan?: number | undefined
}

/**
 * The operation `sweepBlobs` of the service. A note is taken over before the item is asked, so that who wrote it
 * cannot go on to name what is removed here.
 */
export async function sweepBlobs(
  context: Context,
  caller: Caller | undefined,
  input: SweepBlobsInput,
): Promise<number> {
  const { vaultId } = input
  await permit(caller, { vaultId }, 'write')
  const { olderThan = anHour } = parse(sweepInputSchema, input)
  await requireVault(context, vaultId)
  await context.witness?.before({ type: 'vault.updated', vaultId })
  const end = context.now().getTime() - olderThan
  let removed = 0
  for await (const record of walkRecords(context, markCollection(vaultId))) {
    const mark = markIn(vaultId, record)
    if (mark.since.getTime() <= end) removed += await sweepMark(context, mark)
  }
  return removed
}

/** Takes the note over, and removes what it speaks of and no item names. Answers how many contents that were. */
export async function sweepMark(context: Context, mark: BlobMark): Promise<number> {
  const mine = await renewMark(context, mark)
  if (mine === undefined) return 0
  const named = await namedBlobs(context, mark)
  const orphans = mark.blobIds.filter((id) => !named?.includes(id))
  await Promise.all(orphans.map((id) => context.store.blobs.delete(id)))
  if (named === undefined) await removeVersions(context, mark)
  await unmarkBlobs(context, mine)
  return orphans.length
}
