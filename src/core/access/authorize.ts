/** Checks the ids of a call and the permissions of its caller, without access to any storage. */

import { ForbiddenError, InvalidInputError } from '../../errors.js'
import { isId } from '../../schema/ids.js'
import type { Caller, Permission } from './caller.js'

/**
 * Checks the ids that are there, in the order vault, item, file. The form of a file's id is not checked.
 * @throws InvalidInputError with the sentence of the contract if an id is malformed.
 */
export function assertIds(
  ids: Readonly<Record<string, unknown>>,
): asserts ids is Readonly<Record<string, string>> {
  if (!isId(ids['vaultId'])) throw malformedIdError('vaultId', 'Vault')
  if ('itemId' in ids && !isId(ids['itemId'])) throw malformedIdError('itemId', 'Item')
  if ('fileId' in ids && typeof ids['fileId'] !== 'string')
    throw InvalidInputError.at('fileId', 'must be a string')
}

/**
 * Resolves if the caller has all permissions on the vault, whether or not it exists.
 * @throws ForbiddenError for the first permission that is missing.
 */
export async function authorize(
  caller: Caller,
  vaultId: string,
  permissions: readonly Permission[],
): Promise<void> {
  for (const permission of permissions) {
    const isGranted = caller.can(permission, vaultId)
    if (isGranted !== true && (await isGranted) !== true)
      throw await forbiddenError(caller, vaultId, permission)
  }
}

/** The error for a missing permission, which is named in it if the caller has the other one. */
async function forbiddenError(
  caller: Caller,
  vaultId: string,
  missing: Permission,
): Promise<ForbiddenError> {
  const other = missing === 'read' ? 'write' : 'read'
  const hasOther = (await caller.can(other, vaultId)) === true
  return new ForbiddenError(vaultId, hasOther ? missing : undefined)
}

function malformedIdError(path: string, resource: string): InvalidInputError {
  return InvalidInputError.at(
    path,
    'must be 26 characters of a-z and 0-9',
    `Invalid ${resource} UUID`,
  )
}
