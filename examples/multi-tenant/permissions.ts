/** The permissions of each role. An auditor sees which items exist, but no values. */

import type { Caller } from 'cofferkit'
import type { User } from './users.ts'

const neverAllowed = ['createVault', 'deleteVault']
const onlyAdmins = ['updateVault', 'deleteItem', 'removeCredential']
const withoutValues = ['getVault', 'listItems']

export const callerOf = ({ id, role, vaultId: own }: User): Caller => ({
  id,
  can(permission, vaultId, operation = '') {
    if (vaultId !== own || neverAllowed.includes(operation)) return false
    switch (role) {
      case 'admin':
        return true
      case 'member':
        return !onlyAdmins.includes(operation)
      case 'auditor':
        return permission === 'read' && withoutValues.includes(operation)
    }
  },
  filterVaults: () => (own === null ? [] : [own]),
})
