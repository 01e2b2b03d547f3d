/** A grant of an OAuth provider, wherever it is stored. */

import { date, type Kind, limit, notEmpty, oneOf, text } from '../base/argument.js'
import { reconnectRequiredError } from '../base/fixed-errors.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import type { ReconnectReason } from '../errors.js'
import type { GrantStatus } from '../schema/grant-item.js'

export type { GrantStatus }

/** The tokens that a provider has issued. */
export interface TokenSet {
  /** Not empty. */
  readonly accessToken: string
  /** If a refresh does not return one, the old refresh token is kept. */
  readonly refreshToken?: string | undefined
  /**
   * When the access token expires. By default the token is used until an API rejects it. If your
   * provider or library returns a lifetime, pass `expiresInSeconds` instead.
   */
  readonly expiresAt?: Date | undefined
  /**
   * The lifetime of the access token in seconds, 0 to 2,147,483,647, or Infinity. It cannot be
   * passed together with `expiresAt`.
   */
  readonly expiresInSeconds?: number | undefined
  /**
   * The scopes that the provider has granted, separated by spaces (RFC 6749, section 3.3). If a
   * refresh does not return it, the old scopes are kept.
   */
  readonly scope?: string | undefined
}

/** A grant as it is stored, in an item or in a row of a table. */
export interface StoredGrant {
  readonly accessToken: string
  /** Empty if there is none. */
  readonly refreshToken: string
  /** The scopes that the provider has granted, separated by spaces. Undefined if that is unknown. */
  readonly scope?: string | undefined
  /** When the tokens were requested, in milliseconds since 1970. Undefined if that is unknown. */
  readonly issuedAt?: number | undefined
  /**
   * When the access token expires, in milliseconds since 1970. Undefined if that is unknown. The
   * token is then used until an API rejects it.
   */
  readonly expiresAt?: number | undefined
  /**
   * `reconnect` if the provider no longer accepts the grant. `uncertain` if it may have revoked the
   * tokens, because two processes used the same refresh token. Otherwise `ok`.
   */
  readonly status: GrantStatus
  /** Why the status is `reconnect`. Empty for any other status. */
  readonly reason: '' | ReconnectReason
}

/** A grant without its tokens. */
export type GrantState = Omit<StoredGrant, 'accessToken' | 'refreshToken'>

/** Some providers send it for "never". A point in time in milliseconds since 1970 is larger. */
const maxLifetimeSeconds = 2 ** 31 - 1

const lifetime = optional(limit({ unit: 'seconds', min: 0, max: maxLifetimeSeconds }))

/** A lifetime of tokens that do not say when they expire. */
const onlyLifetime: Kind<number | undefined> = (value, path, owner) => {
  if (value !== undefined && Reflect.get(Object(owner), 'expiresAt') !== undefined)
    throw new TypeError(`${path} must not be passed together with expiresAt`)
  return lifetime(value, path)
}

/** The kinds of the members of a token set. */
export const tokenKinds = {
  accessToken: notEmpty(),
  refreshToken: optional(notEmpty()),
  expiresAt: optional(date()),
  expiresInSeconds: onlyLifetime,
  scope: optional(text()),
} satisfies OptionKinds<TokenSet>

const tokenSet = defineOptions(tokenKinds)

/** The kinds of the members of a stored grant. */
export const storedGrant = defineOptions({
  accessToken: text(),
  refreshToken: text(),
  scope: optional(text()),
  issuedAt: optional(limit({ min: 0 })),
  expiresAt: optional(limit({ min: 0 })),
  status: oneOf('ok', 'uncertain', 'reconnect'),
  reason: oneOf('', 'refused', 'interrupted', 'expired', 'rejected', 'revoked'),
} satisfies OptionKinds<StoredGrant>)

/**
 * Makes a grant from tokens that a provider has just issued. Store it in your table after the
 * consent screen. If you store it over a grant that has ended, that grant becomes usable again.
 * @param now - When the tokens were requested. Default: the time of the call.
 * @throws TypeError if a token is not a non-empty string, a member is unknown, or a time is not a
 * valid Date.
 * @throws RangeError if the lifetime is negative or too long.
 * @example
 * const grant = newGrant({ accessToken: 'a1', refreshToken: 'r1', expiresInSeconds: 3600 })
 */
export function newGrant(tokens: TokenSet, now: Date = new Date()): StoredGrant {
  return toGrant(tokenSet.read(tokens, 'tokens'), date()(now, 'now'))
}

/**
 * Makes a grant from tokens that were issued at a time, or shortly after it.
 * @param former - The grant whose refresh token and scope are kept if the token set has none.
 */
export function toGrant(
  { accessToken, refreshToken, scope, ...tokens }: TokenSet,
  issuedAt: Date,
  former?: StoredGrant,
): StoredGrant {
  const { expiresInSeconds = Number.NaN } = tokens
  const end = tokens.expiresAt ?? issuedAt.getTime() + 1000 * expiresInSeconds
  const expiresAt = new Date(end).getTime()
  return {
    accessToken,
    refreshToken: refreshToken ?? former?.refreshToken ?? '',
    scope: scope ?? former?.scope,
    issuedAt: issuedAt.getTime(),
    expiresAt: Number.isNaN(expiresAt) ? undefined : expiresAt,
    status: 'ok',
    reason: '',
  }
}

/** Returns true if the value is a token set. */
export function isTokenSet(tokens: unknown): tokens is TokenSet {
  const { accessToken, refreshToken, scope } = Object(tokens)
  return (
    isText(accessToken) &&
    (refreshToken === undefined || isText(refreshToken)) &&
    (scope === undefined || typeof scope === 'string')
  )
}

/** Returns a grant without its tokens. */
export function toState({ status, reason, scope, issuedAt, expiresAt }: StoredGrant): GrantState {
  return { status, reason, scope, issuedAt, expiresAt }
}

/** Returns true if a grant has these tokens, issued at the same time. Its status can differ. */
export function hasTokens(grant: StoredGrant, tokens: StoredGrant): boolean {
  const isSame =
    grant.accessToken === tokens.accessToken && grant.refreshToken === tokens.refreshToken
  const { issuedAt = tokens.issuedAt } = grant
  return isSame && issuedAt === tokens.issuedAt && grant.expiresAt === tokens.expiresAt
}

/** Returns true if the access token can be used at a time, milliseconds since 1970. */
function isUsable(
  { status, accessToken, issuedAt, expiresAt }: StoredGrant,
  now: number,
  marginMs: number,
): boolean {
  if (status !== 'ok' || accessToken === '') return false
  if (expiresAt === undefined) return true
  const halfMs = issuedAt === undefined ? marginMs : (expiresAt - issuedAt) / 2
  return now < expiresAt - Math.min(marginMs, halfMs)
}

/** Which token is not acceptable, and when the token must be usable. */
export interface TokenDemand {
  /** Names the grant in errors. */
  readonly key: string
  /** Milliseconds since 1970. */
  readonly now: number
  readonly marginMs: number
  readonly rejected: string | undefined
  /** The `issuedAt` of the token that was rejected. */
  readonly rejectedAt: number | undefined
}

/**
 * Returns the token of a grant, or undefined if it must be refreshed.
 * @throws ReconnectRequiredError
 */
export function findToken(grant: StoredGrant, demand: TokenDemand): string | undefined {
  const { accessToken, issuedAt, status, reason } = grant
  const { key, now, marginMs, rejected, rejectedAt } = demand
  if (status === 'reconnect') throw reconnectRequiredError(key, reason || 'refused')
  if (!isUsable(grant, now, marginMs)) return undefined
  if (accessToken !== rejected) return accessToken
  // Another process has refreshed the grant meanwhile.
  if (issuedAt !== rejectedAt) throw reconnectRequiredError(key, 'rejected')
  return undefined
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
