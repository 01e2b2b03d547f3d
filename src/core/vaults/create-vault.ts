/** Creates a vault. */

import { ConflictError } from '../../errors.js'
import { createVaultInputSchema } from '../../schema/inputs.js'
import { parse } from '../../schema/parse.js'
import type { Vault } from '../../schema/vault.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { hasVault, isVault, vaultKey, vaultRecord } from '../records/vault-record.js'
import { withChangeHooks } from '../runtime/change-hooks.js'
import type { Context } from '../runtime/context.js'
import { checkStrings } from '../runtime/limits.js'
import { newId } from '../runtime/random.js'
import { deleteVaultContents } from './delete-vault.js'

/** What `createVault` is told. */
export interface CreateVaultInput {
  /** One character or more. Vaults may share a name. */
  readonly name: string
  readonly description?: string | undefined
  /** The new vault's id; a random one if absent. */
  readonly vaultId?: string | undefined
}

/**
 * The operation `createVault` of the service. What the deletion of an earlier vault of this id has left is removed
 * first, so that nothing of it shows in the new one.
 */
export async function createVault(
  context: Context,
  caller: Caller | undefined,
  input: CreateVaultInput,
): Promise<Vault> {
  const { vaultId = newId(context.randomBytes) } = input
  await authorize(caller, { vaultId }, 'write')
  const { name, description } = parse(createVaultInputSchema, input)
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
  const { records } = context.store
  const key = vaultKey(vaultId)
  const change = { type: 'vault.created', vaultId, version: 1 } as const
  const done = await withChangeHooks(context, change, async () => {
    const earlier = input.vaultId === undefined ? undefined : await records.get(key)
    if (isVault(earlier, vaultId)) return false
    if (input.vaultId !== undefined)
      await deleteVaultContents(context, vaultId, async () => !(await hasVault(context, vaultId)))
    const seen = earlier?.version ?? 0
    return records.put(key, vaultRecord(vault, seen), seen)
  })
  if (done) return vault
  throw new ConflictError(`vault ${vaultId} already exists`)
}
