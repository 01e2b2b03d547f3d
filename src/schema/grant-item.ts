/**
 * The item of an OAuth grant, as `cofferkit/oauth` saves it: what identifies it, and where its
 * tokens are.
 */

import type { Field } from './field.js'
import type { Item } from './item.js'

/** The id of the field with the access token. */
export const accessTokenField = 'credential'
/** The id of the field with the refresh token. */
export const refreshTokenField = 'refresh_token'

/**
 * The field with the status, and the other fields of a grant. One of the others may have been
 * removed.
 */
const statusField = 'status'
const otherFields = [refreshTokenField, 'issued_at', 'expires_at']

/**
 * `uncertain` if the provider may have revoked the tokens, because two processes used the same
 * refresh token. `reconnect` if the provider no longer accepts the grant.
 */
export type GrantStatus = 'ok' | 'uncertain' | 'reconnect'

/**
 * Returns the status of the grant in an item, or undefined if the item does not contain a grant.
 */
export function findGrantStatus({ fields }: Pick<Item, 'fields'>): GrantStatus | undefined {
  const status = fields.find(({ id }) => id === statusField)?.value
  const isGrant = fields.some(({ id }) => otherFields.includes(id))
  const isKnown = status === 'ok' || status === 'uncertain' || status === 'reconnect'
  return isGrant && isKnown ? status : undefined
}

/**
 * Returns true if only the token keeper may send the value of a field. That is a refresh token,
 * whatever its label, and each concealed field of a grant except the access token, because a
 * refresh token may have been saved under another id.
 */
export function isKeptByKeeper(item: Item, { id, type }: Field): boolean {
  if (id === refreshTokenField) return true
  const isConcealed = type === 'CONCEALED' && id !== accessTokenField
  return isConcealed && findGrantStatus(item) !== undefined
}
