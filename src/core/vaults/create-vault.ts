/** Creates a vault. */

import { toRuleError } from '../../base/rule-error.js'
import { withTimeout } from '../../base/with-timeout.js'
import { ConflictError, StorageUnavailableError } from '../../errors.js'
import { createVaultInputSchema } from '../../schema/inputs.js'
import type { Vault } from '../../schema/vault.js'
import type { KnownCaller } from '../access/caller.js'
import { makeChange } from '../operation/call.js'
import { defineOperation } from '../operation/define-operation.js'
import { createErrors } from '../operation/operation-errors.js'
import { hasVault, isVaultRecord, toVaultRecord, vaultKey } from '../records/vault-record.js'
import type { Context } from '../runtime/context.js'
import { checkStrings } from '../runtime/limits.js'
import { assertOutside } from '../runtime/transaction.js'
import { deleteVaultContents } from './delete-vault.js'

/** Input of `createVault`. */
export interface CreateVaultInput {
  /** At least one character. Several vaults can have the same name. */
  readonly name: string
  readonly description?: string | undefined
  /**
   * The id of the new vault: 26 characters of a-z and 0-9 that do not begin with 0, 1, 8 or 9,
   * because only ids that the vault makes begin so. By default the vault makes the id.
   */
  readonly vaultId?: string | undefined
}

/** Creates a vault. Anything left of an earlier vault with the same id is deleted first. */
export const createVault = defineOperation({
  name: 'createVault',
  summary: 'Creates a vault',
  target: 'newVault',
  permissions: ['write'],
  activity: ['CREATE', 'VAULT'],
  errors: [...createErrors, 'CONFLICT', 'GENERATION_FAILED'],
  input: createVaultInputSchema,
  async run(call, { vaultId, isNewId, name, description }): Promise<Vault> {
    const { context, caller } = call
    checkStrings({ name, description }, context.limits)
    const now = context.now().toISOString()
    const vault: Vault = {
      id: vaultId,
      name,
      ...(description !== undefined && { description }),
      type: 'USER_CREATED',
      attributeVersion: 1,
      createdAt: now,
      updatedAt: now,
    }
    // A process with the key may have encrypted the store since this process's first call.
    await context.encryptionCheck.look()
    const { records } = context.store
    const key = vaultKey(vaultId)
    const earlier = isNewId ? undefined : await records.get(key)
    if (isVaultRecord(earlier, vaultId)) throw existsError(vaultId)
    // Otherwise its keys might be erased before the transaction commits.
    if (earlier !== undefined)
      assertOutside(context, 'the id of a deleted vault cannot be used again')
    const expectedVersion = earlier?.version ?? 0
    const change = { type: 'vault.created', vaultId, version: 1 } as const
    const isWritten = await makeChange(call, change, async () => {
      if (!isNewId)
        await deleteVaultContents(call, vaultId, async () => !(await hasVault(context, vaultId)))
      if (isNewId) await callBeforeCreateVault(context, vault, caller)
      return records.put(key, toVaultRecord(vault, expectedVersion), expectedVersion)
    })
    if (isWritten) return vault
    throw existsError(vaultId)
  },
})

function existsError(vaultId: string): ConflictError {
  return new ConflictError(`vault ${vaultId} already exists`, { reason: 'exists' })
}

/**
 * @throws VaultError that it throws, RuleError if it throws any other error, or
 * StorageUnavailableError (503) if it hangs.
 */
async function callBeforeCreateVault(
  { beforeCreateVault, store }: Context,
  vault: Vault,
  creator: KnownCaller,
): Promise<void> {
  if (beforeCreateVault === undefined) return
  const { timeoutMs } = store.guard
  const call = async () => beforeCreateVault({ ...vault }, creator)
  const timeoutError = () =>
    new StorageUnavailableError(`beforeCreateVault did not settle within ${timeoutMs} ms`)
  const toError = (reason: unknown) => toRuleError(reason, 'beforeCreateVault')
  await withTimeout<void>(call(), timeoutMs, timeoutError, { toError })
}
