/** Lets a caller through to a vault, or says why not, without asking any storage. */

import { ForbiddenError, InvalidInputError, UnauthorizedError } from '../../errors.js'
import { isId } from '../../schema/ids.js'
import type { Caller, Permission } from './caller.js'

/**
 * Resolves with the caller if there is one, the ids are ids, and he has every access that is named.
 * @throws UnauthorizedError, InvalidInputError or ForbiddenError, looked for in this order.
 */
export async function authorize(
  caller: Caller | undefined,
  ref: { readonly vaultId: string; readonly itemId?: string; readonly fileId?: string },
  ...accesses: readonly Permission[]
): Promise<Caller> {
  const known = requireCaller(caller)
  if (!isId(ref.vaultId)) throw InvalidInputError.at('vaultId', ...malformed('Vault'))
  if ('itemId' in ref && !isId(ref.itemId))
    throw InvalidInputError.at('itemId', ...malformed('Item'))
  if ('fileId' in ref && typeof ref.fileId !== 'string')
    throw InvalidInputError.at('fileId', 'must be a string')
  for (const permission of accesses)
    if ((await known.can(permission, ref.vaultId)) !== true)
      throw await forbiddenError(known, ref.vaultId, permission)
  return known
}

/**
 * Resolves if the caller has the access, whatever the id is.
 * @throws UnauthorizedError or ForbiddenError, looked for in this order.
 */
export async function requireAccess(
  caller: Caller | undefined,
  vaultId: string,
  permission: Permission,
): Promise<void> {
  const known = requireCaller(caller)
  if ((await known.can(permission, vaultId)) !== true)
    throw await forbiddenError(known, vaultId, permission)
}

/** The caller. @throws UnauthorizedError if it is missing. */
export function requireCaller(caller: Caller | undefined): Caller {
  if (caller === undefined) throw new UnauthorizedError()
  return caller
}

/** The error for a caller without the access `missing`; it says which that is if the caller has the other one. */
async function forbiddenError(
  caller: Caller,
  vaultId: string,
  missing: Permission,
): Promise<ForbiddenError> {
  const other = missing === 'read' ? 'write' : 'read'
  const hasOther = (await caller.can(other, vaultId)) === true
  return new ForbiddenError(vaultId, hasOther ? missing : undefined)
}

function malformed(resource: string): readonly [message: string, sentence: string] {
  return ['must be 26 characters of a-z and 0-9', `Invalid ${resource} UUID`]
}
