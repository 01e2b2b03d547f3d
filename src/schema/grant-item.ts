/** The item of an OAuth grant, which `cofferkit/oauth` saves: what identifies it, and its tokens. */

import type { Field } from './field.js'
import type { Item } from './item.js'

/** The id of the field with the access token. */
export const accessTokenField = 'credential'
/** The id of the field with the refresh token. */
export const refreshTokenField = 'refresh_token'

/** The field with the status, and those that are beside it in a grant, of which one can be removed. */
const statusField = 'status'
const otherFields = [refreshTokenField, 'issued_at', 'expires_at']

/**
 * `uncertain` if the provider may have revoked the tokens, because two processes have used the same
 * refresh token. `reconnect` if the provider no longer accepts the grant.
 */
export type GrantStatus = 'ok' | 'uncertain' | 'reconnect'

/** Returns the status of the grant in an item; undefined if the item is not that of a grant. */
export function findGrantStatus({ fields }: Pick<Item, 'fields'>): GrantStatus | undefined {
  const status = fields.find(({ id }) => id === statusField)?.value
  const isGrant = fields.some(({ id }) => otherFields.includes(id))
  const isKnown = status === 'ok' || status === 'uncertain' || status === 'reconnect'
  return isGrant && isKnown ? status : undefined
}

/**
 * Returns true if only the token keeper may send the value of a field: a refresh token, whatever
 * its label, and each concealed field of a grant besides the access token, because a refresh token
 * can have been saved under another id.
 */
export function isKeptByKeeper(item: Item, { id, type }: Field): boolean {
  if (id === refreshTokenField) return true
  const isConcealed = type === 'CONCEALED' && id !== accessTokenField
  return isConcealed && findGrantStatus(item) !== undefined
}
