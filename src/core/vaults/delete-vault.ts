/** Deletes a vault with everything in it. */

import { gatherBatches, settleAll } from '../../base/batches.js'
import {
  collectionOf,
  credentialRecords,
  itemRecords,
  pendingBlobRecords,
  vaultRecords,
  versionRecords,
} from '../../base/stored-records.js'
import { ifVersionInputSchema } from '../../schema/inputs.js'
import type { ListedRecord } from '../../store.js'
import { type Call, makeChange } from '../operation/call.js'
import { defineOperation } from '../operation/define-operation.js'
import { generateErrors } from '../operation/operation-errors.js'
import { deleteItemIfPresent } from '../records/delete-item-record.js'
import { isItemRecord } from '../records/item-record.js'
import { scanRecords } from '../records/list-records.js'
import { parsePendingBlobs } from '../records/pending-blobs.js'
import {
  hasVault,
  parseVaultRecord,
  requireVaultRecord,
  vaultKey,
} from '../records/vault-record.js'
import type { Context } from '../runtime/context.js'
import { assertVersion } from '../runtime/optimistic-retry.js'
import { isUnreadableError, skipUnreadable } from '../runtime/report-unreadable.js'
import { collectPendingBlobs, defaultMinAgeMs, isOld } from './collect-pending-blobs.js'

/** How many records are deleted at the same time, so that a store can commit them together. */
const maxConcurrentRecords = 32

/** Input of `deleteVault`. */
export interface DeleteVaultInput {
  readonly vaultId: string
  /** Deletes the vault only if this is its `attributeVersion` when the deletion begins. */
  readonly ifVersion?: number | undefined
}

/**
 * Deletes a vault permanently: first its contents, each item as `deleteItem` does, then the vault
 * itself. This is not atomic. If it fails in between, the vault still exists with fewer items, and
 * can be deleted again. An item that is created concurrently is either deleted here or rejected. If
 * a new vault has the same id by then, it owns what is left.
 */
export const deleteVault = defineOperation({
  name: 'deleteVault',
  summary: 'Deletes a vault and its contents permanently',
  target: 'vault',
  permissions: ['write'],
  activity: ['DELETE', 'VAULT'],
  joinsTransactions: false,
  errors: generateErrors,
  input: ifVersionInputSchema,
  async run(call, { vaultId, ifVersion }) {
    const { context } = call
    const key = vaultKey(vaultId)
    const { records } = context.store
    const tombstone = { body: vaultRecords.tombstoneOf(vaultId) }
    let hasBegun = false
    await context.retry(key, 'vault', async () => {
      const { storedVersion, version } = await loadVersions(context, vaultId)
      // Updating the vault's attributes while its contents are deleted does not stop the deletion.
      if (!hasBegun) assertVersion({ id: vaultId, version }, ifVersion, 'vault')
      return makeChange(call, { type: 'vault.deleted', vaultId, version }, async () => {
        hasBegun = true
        await deleteVaultContents(call, vaultId, async () => true)
        return (await records.put(key, tombstone, storedVersion)) || undefined
      })
    })
    await deleteVaultContents(call, vaultId, async () => !(await hasVault(context, vaultId)))
  },
})

/**
 * Returns the version of the vault's record, and the vault's `attributeVersion`. They are the same
 * for an unreadable record, which can be deleted as well.
 */
async function loadVersions(
  context: Context,
  vaultId: string,
): Promise<{ readonly storedVersion: number; readonly version: number }> {
  try {
    const stored = await requireVaultRecord(context, vaultId)
    const { attributeVersion } = parseVaultRecord(stored, vaultId)
    return { storedVersion: stored.version, version: attributeVersion }
  } catch (error) {
    if (!isUnreadableError(error, vaultKey(vaultId))) throw error
    const { version } = error.record
    return { storedVersion: version, version }
  }
}

/**
 * Deletes the contents of a vault: the items in any state, the archived versions, the list of
 * credentials, and the blobs of all pending-blob records. Uploads that are still running are
 * therefore rejected when they end. The tombstones of items are kept. Unreadable records are
 * deleted as well, but their blobs are unknown. Up to 32 records are deleted at the same time.
 * @param shouldContinue - Called after records were found and before they are deleted. If it
 * resolves with false, nothing more is deleted.
 * @param minAgeMs - Pending-blob records that were already collected once are kept until they have
 * this age in milliseconds.
 * @returns The number of deleted blobs.
 */
export async function deleteVaultContents(
  call: Call,
  vaultId: string,
  shouldContinue: () => Promise<boolean>,
  minAgeMs = defaultMinAgeMs,
): Promise<number> {
  const { context } = call
  const { records } = context.store
  const items = collectionOf(itemRecords, vaultId)
  const versions = collectionOf(versionRecords, vaultId)
  const credentials = collectionOf(credentialRecords, vaultId)
  const pendingBlobs = collectionOf(pendingBlobRecords, vaultId)
  const deleteByCollection: Readonly<Record<string, (record: ListedRecord) => Promise<number>>> = {
    [items]: ({ id }) => deleteItemIfPresent(call, { vaultId, itemId: id }),
    [versions]: ({ id, version }) =>
      records.delete({ collection: versions, id }, version).then(() => 0),
    [credentials]: ({ id, version }) =>
      records.delete({ collection: credentials, id }, version).then(() => 0),
    [pendingBlobs]: async (record) => {
      const { id, version } = record
      const key = { collection: pendingBlobs, id }
      const pending = await skipUnreadable(call, key, async () =>
        parsePendingBlobs(vaultId, record),
      )
      if (pending === undefined) return records.delete(key, version).then(() => 0)
      return pending.collected && !isOld(context, pending, minAgeMs)
        ? 0
        : collectPendingBlobs(call, pending)
    },
  }
  let deleted = 0
  for (const [collection, deleteRecord] of Object.entries(deleteByCollection)) {
    const found = scanRecords(context, collection)
    for await (const batch of gatherBatches(found, maxConcurrentRecords)) {
      const existing = collection === items ? batch.filter(isItemRecord) : batch
      if (existing.length === 0) continue
      if (!(await shouldContinue())) return deleted
      for (const count of await settleAll(existing.map(deleteRecord))) deleted += count
    }
  }
  return deleted
}
