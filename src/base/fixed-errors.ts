/** Creates the errors whose messages are fixed sentences, mostly of the contract. */

import {
  DecryptionError,
  ForbiddenError,
  GenerationError,
  type InputIssue,
  InvalidInputError,
  NotFoundError,
  PreconditionFailedError,
  type ReconnectReason,
  ReconnectRequiredError,
  type ResourceType,
  RouteNotFoundError,
  UnauthorizedError,
  type UnreadableRecord,
} from '../errors.js'
import { isOfKind, itemRecords, vaultRecords, versionRecords } from './stored-records.js'

/** Returns the error of one or more problems. Its message lists them. */
export function invalidInputError(issues: readonly InputIssue[]): InvalidInputError {
  const sentences = issues.map(({ path, message }) =>
    path === '' ? message : `${path} ${message}`,
  )
  return new InvalidInputError(sentences.join('; '), { issues })
}

/** The contract's message of a 401. */
export const bearerMessage = 'Invalid bearer token'

/** Returns the error of a caller who is missing or unknown. */
export function invalidTokenError(): UnauthorizedError {
  return new UnauthorizedError(bearerMessage)
}

/**
 * Returns the error of a caller who does not have a permission for a vault.
 * @param missing The permission that the caller does not have; undefined if they have neither.
 */
export function vaultNotInScopeError(
  vaultId: string,
  missing?: 'read' | 'write' | 'use' | 'create',
): ForbiddenError {
  if (missing === 'create') return new ForbiddenError('creating vaults is not in scope')
  const purposes = { read: ' for reading', write: ' for writing', use: ' for using' }
  const purpose = missing === undefined ? '' : purposes[missing]
  return new ForbiddenError(`${named('vault', vaultId)} is not in scope${purpose}`)
}

/** Returns the error of a resource that does not exist. */
export function notFoundError(resource: ResourceType, id: string): NotFoundError {
  return new NotFoundError(`${named(resource, id)} not found`, { resource, id })
}

/** Returns the error of a path that no operation has. */
export function routeNotFoundError(hint = ''): RouteNotFoundError {
  return new RouteNotFoundError(`no such resource${hint}`)
}

/** Returns the error of a record that is not at the version that the caller expects. */
export function preconditionFailedError(
  resource: ResourceType,
  id: string,
): PreconditionFailedError {
  return new PreconditionFailedError(`${resource} ${id} is not at the expected version`)
}

const reconnectMessages: Readonly<Record<ReconnectReason, string>> = {
  refused: 'the provider no longer accepts the grant',
  interrupted: 'the provider no longer accepts the grant after an interrupted refresh',
  expired: 'the access token has expired, and there is no refresh token',
  rejected: 'the provider has issued the rejected access token again',
  revoked: 'the grant has been revoked',
}

/** Returns the error of a grant that its owner must connect again. */
export function reconnectRequiredError(
  grant: string,
  reason: ReconnectReason,
): ReconnectRequiredError {
  const message = `${named('grant', grant)}: ${reconnectMessages[reason]}`
  return new ReconnectRequiredError(message, { grant, reason })
}

/** Returns the error of a source of randomness that is not random, or returns too little. */
export function generationError(): GenerationError {
  return new GenerationError('the source of randomness does not yield a value')
}

/** Returns the error of data that cannot be decrypted, perhaps because the key is the wrong one. */
export function undecryptableError(): DecryptionError {
  return new DecryptionError(
    'the record could not be decrypted: is it the key that it was encrypted with?',
  )
}

/** Returns the error of a record whose bytes are damaged. The key is right. */
export function unreadableRecordError(record: UnreadableRecord): DecryptionError {
  return new DecryptionError(describeUnreadable(record), { record })
}

/** Returns the resource with its id, or without it if no id can look like this one. */
function named(resource: ResourceType, id: string): string {
  return /^[\w/-]{1,64}$/.test(id) ? `${resource} ${id}` : resource
}

/** Names a vault, an item or a version by its id. */
function describeUnreadable({ collection, id, version }: UnreadableRecord): string {
  const name = nameRecord(collection, id) ?? 'a stored record'
  return `${name} cannot be read: it is damaged at version ${version}`
}

function nameRecord(collection: string, id: string): string | undefined {
  if (isOfKind(vaultRecords, collection)) return named('vault', id)
  if (isOfKind(itemRecords, collection)) return named('item', id)
  if (!isOfKind(versionRecords, collection)) return undefined
  const [itemId = '', archived] = id.split('.')
  return `version ${Number(archived)} of ${named('item', itemId)}`
}
