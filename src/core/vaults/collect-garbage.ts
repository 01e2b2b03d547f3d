/** Deletes what crashes have left behind in a vault. */

import { notFoundError } from '../../base/fixed-errors.js'
import { collectionOf, pendingBlobRecords } from '../../base/stored-records.js'
import { collectGarbageInputSchema } from '../../schema/inputs.js'
import { collectCredentialRecords } from '../connections/credential-record.js'
import type { Call } from '../operation/call.js'
import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { scanRecords } from '../records/list-records.js'
import { parsePendingBlobs } from '../records/pending-blobs.js'
import { hasVault } from '../records/vault-record.js'
import { deleteOrphanedVersions } from '../records/version-records.js'
import { isUnreadableError } from '../runtime/report-unreadable.js'
import { collectPendingBlobs, defaultMinAgeMs, isOld } from './collect-pending-blobs.js'
import { deleteVaultContents } from './delete-vault.js'

/** Input of `collectGarbage`. */
export interface CollectGarbageInput {
  readonly vaultId: string
  /**
   * The age from which data is deleted, in milliseconds, 60,000 or more. Younger data may belong to
   * a running operation. An upload that takes longer than this is rejected when it ends. What
   * removed credentials have left is deleted at any age, and so is everything in a deleted vault. A
   * call at least this much later deletes the same blobs once more, in case a paused writer has
   * written them since. Default: 3,600,000.
   */
  readonly minAgeMs?: number | undefined
}

/**
 * Deletes data of a vault that a crash left behind, and returns the number of deleted blobs. If a
 * pending-blob record cannot be processed, the others still are. An unreadable one is reported and
 * kept, and so is a record whose item is unreadable.
 * @throws NotFoundError if the vault does not exist and nothing is left of it.
 * @throws The first error that a pending-blob record caused, after all have been processed.
 */
export const collectGarbage = defineOperation({
  name: 'collectGarbage',
  summary: 'Deletes data of a vault that crashes have left behind',
  target: 'vault',
  permissions: ['write'],
  activity: ['UPDATE', 'VAULT'],
  joinsTransactions: false,
  errors: [...readErrors, 'CONFLICT'],
  input: collectGarbageInputSchema,
  async run(call, { vaultId, minAgeMs = defaultMinAgeMs }): Promise<number> {
    if (!(await hasVault(call.context, vaultId)))
      return collectFromDeletedVault(call, vaultId, minAgeMs)
    await call.beginChange({ type: 'vault.updated', vaultId })
    const deleted = await collectAllPending(call, vaultId, minAgeMs)
    await deleteOrphanedVersions(call, vaultId)
    await collectCredentialRecords(call, vaultId)
    return deleted
  },
})

async function collectAllPending(call: Call, vaultId: string, minAgeMs: number): Promise<number> {
  const { context } = call
  const errors: unknown[] = []
  let deleted = 0
  for await (const record of scanRecords(context, collectionOf(pendingBlobRecords, vaultId))) {
    try {
      const pending = parsePendingBlobs(vaultId, record)
      if (isOld(context, pending, minAgeMs)) deleted += await collectPendingBlobs(call, pending)
    } catch (error) {
      if (isUnreadableError(error)) call.reportUnreadable(error)
      else errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
  return deleted
}

/** Deletes what is left of a deleted vault, until a new vault with the same id is created. */
async function collectFromDeletedVault(
  call: Call,
  vaultId: string,
  minAgeMs: number,
): Promise<number> {
  let hasLeftovers = false
  const isDeleted = async (): Promise<boolean> => {
    if (!hasLeftovers) await call.beginChange({ type: 'vault.updated', vaultId })
    hasLeftovers = true
    return !(await hasVault(call.context, vaultId))
  }
  const deleted = await deleteVaultContents(call, vaultId, isDeleted, minAgeMs)
  if (!hasLeftovers) throw notFoundError('vault', vaultId)
  return deleted
}
