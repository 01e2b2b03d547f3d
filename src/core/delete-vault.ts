/** Removes a vault and everything in it for good. */

import { parseIfVersion } from '../schema/if-version.js'
import type { StoredRecord } from '../store.js'
import type { Caller } from './caller.js'
import { raced, requireVersion } from './change-item.js'
import type { Context } from './context.js'
import { emptyVault } from './empty-vault.js'
import { permit } from './permit.js'
import { hasVault, requireVault, tombstone, vaultIn, vaultKey } from './read-vault.js'
import { witnessed } from './witness.js'

/** What `deleteVault` is told. */
export interface DeleteVaultInput {
  readonly vaultId: string
  /** Removes the vault only if this is its `attributeVersion` when it begins; nothing is removed otherwise. */
  readonly ifVersion?: number | undefined
}

/**
 * The operation `deleteVault` of the service: first what is in the vault, each item as `deleteItem` does, then the vault
 * itself. Not one step: when it fails in the middle, the vault is still there with fewer items, and can be deleted again.
 * An item that is being created meanwhile is stored before the vault goes, or refused; what of those is still there is
 * removed in the end, unless there is a vault of this id again, which it belongs to then.
 */
export async function deleteVault(
  context: Context,
  caller: Caller | undefined,
  input: DeleteVaultInput,
): Promise<void> {
  const { vaultId } = input
  await permit(caller, { vaultId }, 'write')
  const ifVersion = parseIfVersion(input)
  const key = vaultKey(vaultId)
  const { records } = context.store
  let isBegun = false
  await raced(context, key, 'vault', async () => {
    const stored = await requireVault(context, vaultId)
    const version = attributeVersionOf(stored, vaultId)
    // Whoever renames a vault that is being emptied comes too late.
    if (!isBegun) requireVersion({ id: vaultId, version }, ifVersion, 'vault')
    return witnessed(context, { type: 'vault.deleted', vaultId, version }, async () => {
      isBegun = true
      await emptyVault(context, vaultId, async () => true)
      return (await records.put(key, tombstone(vaultId), stored.version)) || undefined
    })
  })
  await emptyVault(context, vaultId, async () => !(await hasVault(context, vaultId)))
}

/** The vault's `attributeVersion`; its record's version if the record cannot be read, so that it can be deleted. */
function attributeVersionOf(stored: StoredRecord, vaultId: string): number {
  try {
    return vaultIn(stored, vaultId).attributeVersion
  } catch {
    return stored.version
  }
}
