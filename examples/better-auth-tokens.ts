/**
 * Hooks that keep the tokens of an account out of the table of better-auth. When a user signs in
 * again, better-auth passes the new tokens to a hook before its update, which does not know whose they are,
 * and the account to a hook after it.
 */

import type { TokenSet } from 'cofferkit/oauth'

/** The tokens of an account of better-auth. */
interface AccountTokens {
  readonly accessToken?: string | null | undefined
  readonly refreshToken?: string | null | undefined
  readonly accessTokenExpiresAt?: Date | null | undefined
  readonly scope?: string | null | undefined
}

/** The tokens of each request. */
const received = new WeakMap<object, AccountTokens>()

/** A hook before an account is created or updated: its tokens are not stored. */
export async function takeTokens(
  tokens: AccountTokens,
  context: object | null,
) {
  if (context !== null) received.set(context, tokens)
  return {
    data: {
      accessToken: undefined,
      refreshToken: undefined,
      idToken: undefined,
    },
  }
}

/** Returns the tokens that were taken in this request, for a hook after it. */
export function takenTokens(context: object | null): TokenSet | undefined {
  const tokens = context === null ? undefined : received.get(context)
  if (typeof tokens?.accessToken !== 'string') return undefined
  return {
    accessToken: tokens.accessToken,
    refreshToken: tokens.refreshToken ?? undefined,
    expiresAt: tokens.accessTokenExpiresAt ?? undefined,
    scope: tokens.scope ?? undefined,
  }
}
