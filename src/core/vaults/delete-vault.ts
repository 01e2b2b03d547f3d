/** Removes a vault and everything in it for good. */

import { ifVersionInputSchema } from '../../schema/inputs.js'
import type { ListedRecord, StoredRecord } from '../../store.js'
import { defineOperation, operationErrors } from '../define-operation.js'
import { deleteItemIfPresent } from '../records/delete-item-record.js'
import { itemCollection } from '../records/item-record.js'
import { scanRecords } from '../records/list-records.js'
import { parsePendingBlobs, pendingBlobsCollection } from '../records/pending-blobs.js'
import {
  hasVault,
  parseVaultRecord,
  requireVaultRecord,
  tombstone,
  vaultKey,
} from '../records/vault-record.js'
import { versionCollection } from '../records/version-records.js'
import { withChangeHooks } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'
import { assertVersion, withOptimisticRetry } from '../runtime/optimistic-retry.js'
import { collectPendingBlobs, defaultMinAgeMs, isOld } from './collect-pending-blobs.js'

/** Input of `deleteVault`. */
export interface DeleteVaultInput {
  readonly vaultId: string
  /** Removes the vault only if this is its `attributeVersion` when it begins; nothing is removed otherwise. */
  readonly ifVersion?: number | undefined
}

/**
 * Deletes a vault permanently: first its contents, each item as `deleteItem` does, then the vault itself. Not atomic: if
 * it fails in between, the vault still exists with fewer items and can be deleted again. An item that is created
 * concurrently is either deleted here or rejected. If a new vault has the same id by then, what is left belongs to it.
 */
export const deleteVault = defineOperation({
  name: 'deleteVault',
  target: 'vault',
  permissions: ['write'],
  activity: ['DELETE', 'VAULT'],
  errors: [...operationErrors.change, 'GENERATION_FAILED'],
  input: ifVersionInputSchema,
  async run({ context }, { vaultId, ifVersion }) {
    const key = vaultKey(vaultId)
    const { records } = context.store
    let hasBegun = false
    await withOptimisticRetry(context, key, 'vault', async () => {
      const stored = await requireVaultRecord(context, vaultId)
      const version = attributeVersionOf(stored, vaultId)
      // An update of the vault's attributes while its contents are deleted does not stop the deletion.
      if (!hasBegun) assertVersion({ id: vaultId, version }, ifVersion, 'vault')
      return withChangeHooks(context, { type: 'vault.deleted', vaultId, version }, async () => {
        hasBegun = true
        await deleteVaultContents(context, vaultId, async () => true)
        return (await records.put(key, tombstone(vaultId), stored.version)) || undefined
      })
    })
    await deleteVaultContents(context, vaultId, async () => !(await hasVault(context, vaultId)))
  },
})

/** The vault's `attributeVersion`; its record's version if the record cannot be read, so that it can be deleted. */
function attributeVersionOf(stored: StoredRecord, vaultId: string): number {
  try {
    return parseVaultRecord(stored, vaultId).attributeVersion
  } catch {
    return stored.version
  }
}

/**
 * Removes the items, whatever their state, then the older versions and the contents that crashes have left behind, and
 * takes the pending record of every upload that is under way: it is refused in the end. Pending records that were swept
 * before stay until they are `minAgeMs` milliseconds old. `isDue` is called after a record was found and before it is
 * removed; when it resolves with false, nothing more is removed. Resolves with the number of contents removed.
 */
export async function deleteVaultContents(
  context: Context,
  vaultId: string,
  isDue: () => Promise<boolean>,
  minAgeMs = defaultMinAgeMs,
): Promise<number> {
  const { records } = context.store
  const versions = versionCollection(vaultId)
  const removals: Readonly<Record<string, (record: ListedRecord) => Promise<number>>> = {
    [itemCollection(vaultId)]: ({ id }) => deleteItemIfPresent(context, { vaultId, itemId: id }),
    [versions]: ({ id, version }) =>
      records.delete({ collection: versions, id }, version).then(() => 0),
    [pendingBlobsCollection(vaultId)]: async (record) => {
      const pending = parsePendingBlobs(vaultId, record)
      return pending.swept && !isOld(context, pending, minAgeMs)
        ? 0
        : collectPendingBlobs(context, pending)
    },
  }
  let contents = 0
  for (const [collection, remove] of Object.entries(removals)) {
    for await (const record of scanRecords(context, collection)) {
      if (!(await isDue())) return contents
      contents += await remove(record)
    }
  }
  return contents
}
