/** Answers a vault. */

import type { Vault } from '../../schema/vault.js'
import { authorize } from '../access/authorize.js'
import type { Caller } from '../access/caller.js'
import { readVault } from '../records/vault-record.js'
import type { Context } from '../runtime/context.js'

/** What `getVault` is told. */
export interface GetVaultInput {
  readonly vaultId: string
}

/** The operation `getVault` of the service. */
export async function getVault(
  context: Context,
  caller: Caller | undefined,
  input: GetVaultInput,
): Promise<Vault> {
  await authorize(caller, { vaultId: input.vaultId }, 'read')
  return readVault(context, input.vaultId)
}
