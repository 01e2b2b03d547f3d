/** Removes what a crash has left behind: contents that no item names, versions of items that are gone, a gone vault's rest. */

import { isVaultError, NotFoundError } from '../../errors.js'
import { collectGarbageInputSchema } from '../../schema/inputs.js'
import { parse } from '../../schema/parse.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { scanRecords } from '../records/list-records.js'
import { markCollection, parsePendingBlobs } from '../records/pending-blobs.js'
import { hasVault } from '../records/vault-record.js'
import { removeOrphanedVersions } from '../records/version-records.js'
import type { Context } from '../runtime/context.js'
import { collectPendingBlobs, defaultMinAgeMs, isOld } from './collect-pending-blobs.js'
import { deleteVaultContents } from './delete-vault.js'

/** What `collectGarbage` is told. */
export interface CollectGarbageInput {
  readonly vaultId: string
  /**
   * Milliseconds, 60,000 or more; 3,600,000 if absent. What began later is left alone, because somebody may still be
   * at work on it: an upload that takes longer is refused in the end. Where the vault is gone, nothing is left alone. What was removed is
   * removed once more by a call that comes so much later, in case its writer has stored it since.
   */
  readonly minAgeMs?: number | undefined
}

/**
 * The operation `collectGarbage` of the service. One pending record that cannot be swept does not keep it from the others.
 * @throws NotFoundError if the vault is gone and nothing of it was left; after the last pending record, the first
 * error that one of them caused.
 */
export async function collectGarbage(
  context: Context,
  caller: Caller | undefined,
  input: CollectGarbageInput,
): Promise<number> {
  const { vaultId } = input
  await authorize(caller, { vaultId }, 'write')
  const { minAgeMs = defaultMinAgeMs } = parse(collectGarbageInputSchema, input)
  if (!(await hasVault(context, vaultId)))
    return collectFromDeletedVault(context, vaultId, minAgeMs)
  await context.hooks?.beforeWrite({ type: 'vault.updated', vaultId })
  const removed = await collectAllPending(context, vaultId, minAgeMs)
  await removeOrphanedVersions(context, vaultId)
  return removed
}

async function collectAllPending(
  context: Context,
  vaultId: string,
  minAgeMs: number,
): Promise<number> {
  const failures: unknown[] = []
  let removed = 0
  for await (const record of scanRecords(context, markCollection(vaultId))) {
    try {
      const pending = parsePendingBlobs(vaultId, record)
      if (isOld(context, pending, minAgeMs)) removed += await collectPendingBlobs(context, pending)
    } catch (error) {
      // No further change could be recorded.
      if (isVaultError(error) && error.code === 'ACTIVITY_UNAVAILABLE') throw error
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return removed
}

/** Empties what a deletion has left of a vault, unless there is a vault of this id again. */
async function collectFromDeletedVault(
  context: Context,
  vaultId: string,
  minAgeMs: number,
): Promise<number> {
  let isFound = false
  const isGone = async (): Promise<boolean> => {
    if (!isFound) await context.hooks?.beforeWrite({ type: 'vault.updated', vaultId })
    isFound = true
    return !(await hasVault(context, vaultId))
  }
  const removed = await deleteVaultContents(context, vaultId, isGone, minAgeMs)
  if (!isFound) throw new NotFoundError('vault', vaultId)
  return removed
}
