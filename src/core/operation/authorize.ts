/** Checks the permissions of a caller on a vault. */

import { ForbiddenError } from '../../errors.js'
import { isId } from '../../schema/is-id.js'
import type { Caller, Permission } from '../access/caller.js'

/**
 * Asks the caller for each permission, in this order, until one is missing.
 * @param operation - The name of the operation that needs them.
 * @throws ForbiddenError if one is missing. It names the permission only if the caller has the other
 * one.
 */
export async function authorize(
  caller: Caller,
  { vaultId, itemId }: { readonly vaultId: string; readonly itemId?: string | undefined },
  operation: string,
  permissions: readonly Permission[],
): Promise<void> {
  const check = async (permission: Permission): Promise<boolean> =>
    // No item has a malformed id.
    (await caller.can(permission, vaultId, operation, isId(itemId) ? itemId : undefined)) === true
  for (const permission of permissions)
    if (!(await check(permission))) throw await forbiddenError(vaultId, permission, check)
}

async function forbiddenError(
  vaultId: string,
  missing: Permission,
  check: (permission: Permission) => Promise<boolean>,
): Promise<ForbiddenError> {
  if (missing === 'create') return new ForbiddenError(vaultId, missing)
  const hasOther = await check(missing === 'read' ? 'write' : 'read')
  return new ForbiddenError(vaultId, hasOther ? missing : undefined)
}
