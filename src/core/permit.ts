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
  place: { readonly vaultId: string; readonly itemId?: string },
  ...accesses: readonly Access[]
): Promise<Caller> {
  if (caller === undefined) throw new UnauthorizedError()
  if (!isId(place.vaultId)) throw InvalidInputError.at('vaultId', ...malformed('Vault'))
  if ('itemId' in place && !isId(place.itemId))
    throw InvalidInputError.at('itemId', ...malformed('Item'))
  for (const access of accesses) {
    if ((await caller.may(access, place.vaultId)) !== true) throw new ForbiddenError(place.vaultId)
  }
  return caller
}

function malformed(resource: string): readonly [message: string, sentence: string] {
  return ['must be 26 characters of a-z and 0-9', `Invalid ${resource} UUID`]
}
