/** Checks the permissions of a caller on a vault. */

import { vaultNotInScopeError } from '../../base/fixed-errors.js'
import type { ForbiddenError } from '../../errors.js'
import { isId } from '../../schema/is-id.js'
import type { Caller, Permission } from '../access/caller.js'
import type { AnyOperation } from './define-operation.js'

/**
 * Asks the caller for each permission of the operation, in this order, until one is missing.
 * @returns True if the caller has them. False if the caller only has the permission `use`, and the
 * operation allows that.
 * @throws ForbiddenError if one is missing. It names the permission only if the caller has the
 * other one.
 */
export async function authorize(
  caller: Caller,
  { vaultId, itemId }: { readonly vaultId: string; readonly itemId?: string | undefined },
  { name, permissions, allowsUse }: Pick<AnyOperation, 'name' | 'permissions' | 'allowsUse'>,
): Promise<boolean> {
  const check = async (permission: Permission): Promise<boolean> =>
    // No item has a malformed id.
    (await caller.can(permission, vaultId, name, isId(itemId) ? itemId : undefined)) === true
  for (const permission of permissions) {
    if (await check(permission)) continue
    if (allowsUse && (await check('use'))) return false
    throw await forbiddenError(vaultId, allowsUse ? 'use' : permission, check)
  }
  return true
}

async function forbiddenError(
  vaultId: string,
  missing: Permission,
  check: (permission: Permission) => Promise<boolean>,
): Promise<ForbiddenError> {
  if (missing === 'create') return vaultNotInScopeError(vaultId, missing)
  const hasOther = await check(missing === 'write' ? 'read' : 'write')
  return vaultNotInScopeError(vaultId, hasOther ? missing : undefined)
}
