/** The options of a token keeper. */

import {
  anyFunction,
  anyStore,
  callback,
  clock,
  type Kind,
  kindOf,
  like,
  limit,
  number,
  text,
} from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import type { RecordStore } from '../store.js'
import type { FoundGrant, GrantSource } from './grant-source.js'
import type { TokenSet } from './stored-grant.js'

/** The grant that is refreshed. */
export interface TokenRefresh<Ref = unknown, Found extends FoundGrant = FoundGrant> {
  readonly ref: Ref
  /** The grant that the source's `read` returned. */
  readonly found: Found
  /** Aborts after two thirds of `leaseMs`. Pass it to `fetch`. */
  readonly signal: AbortSignal
}

/**
 * Asks the provider to revoke a grant (RFC 7009). It is called with the refresh token, or with the
 * access token if there is no refresh token. If you reject, the outcome is unknown, and the grant
 * is kept.
 */
export type RevokeToken = (token: string, use: RevokeUse) => Promise<unknown>

/** How a grant is revoked. */
export interface RevokeUse {
  /** Aborts after two thirds of `leaseMs`. Pass it to `fetch`. */
  readonly signal: AbortSignal
}

/** Options of `createTokenKeeper`. */
export interface TokenKeeperOptions<
  Ref = unknown,
  By = void,
  Found extends FoundGrant = FoundGrant,
> {
  /** Where the grants are stored: the result of `vaultGrants`, or your own source. */
  readonly grants: GrantSource<Ref, By, Found>
  /**
   * Where the processes agree on who refreshes a grant: the records of any store that all of them
   * share, such as `store.records`. Each grant has one record in the collection `leases`. It
   * contains no tokens.
   */
  readonly leases: RecordStore
  /**
   * Requests new tokens from the provider, without retrying. Resolve with false if the provider
   * answers `invalid_grant`, so that the grant is gone. If you reject, the outcome is unknown, and
   * the grant is kept.
   */
  refresh(refreshToken: string, use: TokenRefresh<Ref, Found>): Promise<TokenSet | false>
  /**
   * How many milliseconds before it expires a token is refreshed: 0, or 1,000 or more. It is never
   * refreshed before half of its lifetime is over, so Infinity always means half. Default: 60,000.
   */
  readonly marginMs?: number | undefined
  /**
   * After how many milliseconds a process that has not finished a refresh is considered dead: 100
   * to 600,000. It must be the same in all processes. Default: 15,000.
   */
  readonly leaseMs?: number | undefined
  /** The clock that tells whether a token has expired. Default: the system's. */
  readonly now?: (() => Date) | undefined
}

/** No margin, or at least a second: a shorter one was probably meant in seconds. */
const margin: Kind<number> = (value, path) => {
  limit({ min: 0 })(value, path)
  if (value === 0 || value >= 1000) return value
  throw new RangeError(`${path} must be 0, or 1,000 milliseconds or more`)
}

const keeperOptions = defineOptions({
  grants: like({ key: anyFunction, read: anyFunction, replace: anyFunction }),
  leases: like(anyStore.records),
  refresh: callback(),
  marginMs: optional(margin, 60_000),
  leaseMs: optional(number({ min: 100, max: 600_000 }), 15_000),
  now: optional(clock, () => new Date()),
} satisfies OptionKinds<TokenKeeperOptions<unknown>>)

/** The options of a keeper, with their defaults. */
export type KeeperSettings<Ref, By, Found extends FoundGrant> = Required<
  Omit<TokenKeeperOptions<Ref, By, Found>, 'marginMs' | 'leaseMs' | 'now'>
> &
  Pick<ReturnType<typeof keeperOptions.read>, 'marginMs' | 'leaseMs' | 'now'>

/** Checks the options of a keeper. @throws TypeError or RangeError if an option is invalid. */
export function readKeeperOptions<Ref, By, Found extends FoundGrant>(
  options: TokenKeeperOptions<Ref, By, Found>,
): KeeperSettings<Ref, By, Found> {
  if ('execute' in Object(options))
    throw new TypeError(
      'options is a service: write createTokenKeeper({ grants: vaultGrants(service, caller), leases, refresh })',
    )
  return keeperOptions.read(options as TokenKeeperOptions<unknown>) as KeeperSettings<
    Ref,
    By,
    Found
  >
}

/** Options of `accessToken`. */
export interface AccessTokenOptions {
  /**
   * An access token that the API has rejected. It is refreshed even if it has not expired, and is
   * never returned.
   */
  readonly rejected?: string | undefined
  /**
   * When it aborts, the call rejects with the signal's reason. A refresh that has begun goes on.
   */
  readonly signal?: AbortSignal | undefined
}

/** The options of `accessToken`. */
export const accessTokenOptions = defineOptions({
  rejected: optional(text()),
  signal: optional(kindOf<AbortSignal>('an AbortSignal', (value) => value instanceof AbortSignal)),
} satisfies OptionKinds<AccessTokenOptions>)
