/** Lets a caller through to a vault, or says why not, without asking any storage. */

import { ForbiddenError, InvalidInputError, UnauthorizedError } from '../errors.js'
import { isId } from '../schema/id.js'
import type { Access, Caller } from './caller.js'

/**
 * Resolves with the caller if there is one, the ids are ids, and he has every access that is named.
 * @throws UnauthorizedError, InvalidInputError or ForbiddenError, looked for in this order.
 */
export async function permit(
  caller: Caller | undefined,
  place: { readonly vaultId: string; readonly itemId?: string; readonly fileId?: string },
  ...accesses: readonly Access[]
): Promise<Caller> {
  const known = requireCaller(caller)
  if (!isId(place.vaultId)) throw InvalidInputError.at('vaultId', ...malformed('Vault'))
  if ('itemId' in place && !isId(place.itemId))
    throw InvalidInputError.at('itemId', ...malformed('Item'))
  if ('fileId' in place && typeof place.fileId !== 'string')
    throw InvalidInputError.at('fileId', 'must be a string')
  await requireAccess(known, place.vaultId, accesses)
  return known
}

/** @throws ForbiddenError if the caller lacks one of the accesses; it says which if the caller has the other one. */
export async function requireAccess(
  caller: Caller,
  vaultId: string,
  accesses: readonly Access[],
): Promise<void> {
  for (const access of accesses) {
    if ((await caller.may(access, vaultId)) === true) continue
    const other = access === 'read' ? 'write' : 'read'
    const hasOther = (await caller.may(other, vaultId)) === true
    throw new ForbiddenError(vaultId, hasOther ? access : undefined)
  }
}

/** The caller. @throws UnauthorizedError if it is missing. */
export function requireCaller(caller: Caller | undefined): Caller {
  if (caller === undefined) throw new UnauthorizedError()
  return caller
}

function malformed(resource: string): readonly [message: string, sentence: string] {
  return ['must be 26 characters of a-z and 0-9', `Invalid ${resource} UUID`]
}
