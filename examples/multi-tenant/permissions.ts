/** What each role may do. Auditors see which items exist, but no values. */

import type { Caller, OperationName } from 'cofferkit'
import type { User } from './users.ts'

type Operations = ReadonlySet<OperationName | undefined>

const neverAllowed: Operations = new Set(['createVault', 'deleteVault'])
const onlyAdmins: Operations = new Set([
  'updateVault',
  'deleteItem',
  'removeCredential',
])
const withoutValues: Operations = new Set(['getVault', 'listItems'])

export const callerOf = ({ id, role, vaultId: own }: User): Caller => ({
  id,
  can(permission, vaultId, operation) {
    if (vaultId !== own || neverAllowed.has(operation)) return false
    switch (role) {
      case 'admin':
        return true
      case 'member':
        return !onlyAdmins.has(operation)
      case 'auditor':
        return permission === 'read' && withoutValues.has(operation)
    }
  },
  filterVaults: () => (own === null ? [] : [own]),
})
