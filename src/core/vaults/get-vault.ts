/** Returns a vault. */

import { defineOperation } from '../operation/define-operation.js'
import { readErrors } from '../operation/operation-errors.js'
import { loadVault } from '../records/vault-record.js'

/** Input of `getVault`. */
export interface GetVaultInput {
  readonly vaultId: string
}

/** Returns a vault. */
export const getVault = defineOperation({
  name: 'getVault',
  summary: 'Returns a vault',
  target: 'vault',
  permissions: ['read'],
  activity: ['READ', 'VAULT'],
  errors: readErrors,
  async run({ context }, { vaultId }) {
    return loadVault(context, vaultId)
  },
})
