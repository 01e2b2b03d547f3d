/** Changes the name or the description of a vault. */

import { updateVaultInputSchema } from '../../schema/inputs.js'
import type { Vault } from '../../schema/vault.js'
import { makeChange } from '../operation/call.js'
import { defineOperation } from '../operation/define-operation.js'
import { changeErrors } from '../operation/operation-errors.js'
import {
  parseVaultRecord,
  requireVaultRecord,
  toVaultRecord,
  vaultKey,
} from '../records/vault-record.js'
import { checkStrings } from '../runtime/limits.js'
import { assertVersion } from '../runtime/optimistic-retry.js'

/** Input of `updateVault`. */
export interface UpdateVaultInput {
  readonly vaultId: string
  /** At least one character. By default the name does not change. */
  readonly name?: string | undefined
  /** Null removes the description. By default it does not change. */
  readonly description?: string | null | undefined
  /** Changes the vault only if this is its `attributeVersion`. */
  readonly ifVersion?: number | undefined
}

/**
 * Changes the name or the description of a vault. If nothing changes, the vault is returned and
 * nothing is written.
 */
export const updateVault = defineOperation({
  name: 'updateVault',
  summary: 'Changes the name or the description of a vault',
  target: 'vault',
  permissions: ['read', 'write'],
  activity: ['UPDATE', 'VAULT'],
  errors: changeErrors,
  input: updateVaultInputSchema,
  async run(call, { vaultId, ifVersion, ...changes }): Promise<Vault> {
    const { context } = call
    checkStrings(changes, context.limits)
    const key = vaultKey(vaultId)
    return context.retry(key, 'vault', async () => {
      const stored = await requireVaultRecord(context, vaultId)
      const before = parseVaultRecord(stored, vaultId)
      const version = before.attributeVersion + 1
      assertVersion({ id: vaultId, version: before.attributeVersion }, ifVersion, 'vault')
      const { name = before.name, description = before.description } = changes
      if (name === before.name && (description ?? undefined) === before.description) return before
      const { description: _, ...unchanged } = before
      const vault: Vault = {
        ...unchanged,
        name,
        ...(typeof description === 'string' && { description }),
        attributeVersion: version,
        updatedAt: context.now().toISOString(),
      }
      const change = { type: 'vault.updated', vaultId, version } as const
      const isWritten = await makeChange(call, change, () =>
        context.store.records.put(key, toVaultRecord(vault, stored.version), stored.version),
      )
      return isWritten ? vault : undefined
    })
  },
})
