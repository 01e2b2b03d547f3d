/** Removes what a crash has left behind: contents that no item names, versions of items that are gone, a gone vault's rest. */

import { isVaultError, NotFoundError } from '../../errors.js'
import { collectGarbageInputSchema } from '../../schema/inputs.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { scanRecords } from '../records/list-records.js'
import { parsePendingBlobs, pendingBlobsCollection } from '../records/pending-blobs.js'
import { hasVault } from '../records/vault-record.js'
import { removeOrphanedVersions } from '../records/version-records.js'
import type { Context } from '../runtime/context.js'
import { collectPendingBlobs, defaultMinAgeMs, isOld } from './collect-pending-blobs.js'
import { deleteVaultContents } from './delete-vault.js'

/** Input of `collectGarbage`. */
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
 * Deletes data of a vault that a crash left behind, and returns the number of deleted contents. A pending-blob record that
 * cannot be processed does not stop the others.
 * @throws NotFoundError if the vault is deleted and nothing is left of it; otherwise, after the last pending-blob record,
 * the first error that one of them caused.
 */
export const collectGarbage = defineOperation({
  name: 'collectGarbage',
  target: 'vault',
  permissions: ['write'],
  activity: ['UPDATE', 'VAULT'],
  errors: [...operationErrors.read, 'CONFLICT'],
  input: collectGarbageInputSchema,
  async run({ context }, { vaultId, minAgeMs = defaultMinAgeMs }): Promise<number> {
    if (!(await hasVault(context, vaultId)))
      return collectFromDeletedVault(context, vaultId, minAgeMs)
    await context.hooks?.beforeWrite?.({ type: 'vault.updated', vaultId })
    const removed = await collectAllPending(context, vaultId, minAgeMs)
    await removeOrphanedVersions(context, vaultId)
    return removed
  },
})

async function collectAllPending(
  context: Context,
  vaultId: string,
  minAgeMs: number,
): Promise<number> {
  const failures: unknown[] = []
  let removed = 0
  for await (const record of scanRecords(context, pendingBlobsCollection(vaultId))) {
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
    if (!isFound) await context.hooks?.beforeWrite?.({ type: 'vault.updated', vaultId })
    isFound = true
    return !(await hasVault(context, vaultId))
  }
  const removed = await deleteVaultContents(context, vaultId, isGone, minAgeMs)
  if (!isFound) throw new NotFoundError('vault', vaultId)
  return removed
}
