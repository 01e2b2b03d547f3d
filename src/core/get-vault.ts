/** Answers a vault. */

import type { Vault } from '../schema/vault.js'
import type { Caller } from './caller.js'
import type { Context } from './context.js'
import { permit } from './permit.js'
import { readVault } from './read-vault.js'

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
  await permit(caller, { vaultId: input.vaultId }, 'read')
  return readVault(context, input.vaultId)
}
