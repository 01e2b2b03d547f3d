/** Changes the name or the description of a vault. */

import { updateVaultInputSchema } from '../../schema/inputs.js'
import { parse } from '../../schema/parse.js'
import type { Vault } from '../../schema/vault.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { assertVersion, withOptimisticRetry } from '../records/update-item.js'
import {
  parseVaultRecord,
  requireVaultRecord,
  vaultKey,
  vaultRecord,
} from '../records/vault-record.js'
import { withChangeHooks } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'
import { checkStrings } from '../runtime/limits.js'

/** What `updateVault` is told. */
export interface UpdateVaultInput {
  readonly vaultId: string
  /** One character or more; the name stays if absent. */
  readonly name?: string | undefined
  /** Null removes the description; it stays if absent. */
  readonly description?: string | null | undefined
  /** Changes the vault only while this is its `attributeVersion`. */
  readonly ifVersion?: number | undefined
}

/** The operation `updateVault` of the service. Where nothing changes, the vault is answered and nothing is written. */
export async function updateVault(
  context: Context,
  caller: Caller | undefined,
  input: UpdateVaultInput,
): Promise<Vault> {
  const { vaultId } = input
  await authorize(caller, { vaultId }, 'read', 'write')
  const { ifVersion, ...changes } = parse(updateVaultInputSchema, input)
  checkStrings(changes, context.limits)
  const key = vaultKey(vaultId)
  return withOptimisticRetry(context, key, 'vault', async () => {
    const stored = await requireVaultRecord(context, vaultId)
    const before = parseVaultRecord(stored, vaultId)
    const version = before.attributeVersion + 1
    assertVersion({ id: vaultId, version: before.attributeVersion }, ifVersion, 'vault')
    const { name = before.name, description = before.description } = changes
    if (name === before.name && (description ?? undefined) === before.description) return before
    const { description: _, ...kept } = before
    const vault: Vault = {
      ...kept,
      name,
      ...(typeof description === 'string' && { description }),
      attributeVersion: version,
      updatedAt: context.now().toISOString(),
    }
    const change = { type: 'vault.updated', vaultId, version } as const
    const done = await withChangeHooks(context, change, () =>
      context.store.records.put(key, vaultRecord(vault, stored.version), stored.version),
    )
    return done ? vault : undefined
  })
}
