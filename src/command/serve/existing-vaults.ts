/** The caller whose token `serve` prints. */

import { createCaller, isVaultError, type KnownCaller, type VaultService } from '../../index.js'

/**
 * Returns a caller with every permission on the vaults that exist. Any other id is out of scope, so
 * clients get 403, as from a Connect server, whose tokens list their vaults. It can create vaults.
 * @param service - A service without an activity log, because each check reads the vault.
 */
export function createCallerOfExistingVaults(id: string, service: VaultService): KnownCaller {
  const owner = createCaller({ id, vaults: '*' })
  const exists = async (vaultId: string): Promise<boolean> => {
    try {
      await service.getVault(owner, { vaultId })
      return true
    } catch (error) {
      if (isVaultError(error) && error.status === 404) return false
      throw error
    }
  }
  return {
    id,
    can: (permission, vaultId, operation) =>
      permission === 'create' || operation === 'createVault' || exists(vaultId),
    filterVaults: (vaultIds) => vaultIds,
  }
}
