/** Returns a vault. */

import { defineOperation } from '../define-operation.js'
import { loadVault } from '../records/vault-record.js'

/** Input of `getVault`. */
export interface GetVaultInput {
  readonly vaultId: string
}

/** Returns a vault. */
export const getVault = defineOperation({
  name: 'getVault',
  target: 'vault',
  permissions: ['read'],
  activity: ['READ', 'VAULT'],
  async run({ context }, { vaultId }) {
    return loadVault(context, vaultId)
  },
})
