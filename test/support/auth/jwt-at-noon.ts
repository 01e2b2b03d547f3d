/** An authenticator for which it is noon of a certain day, and tokens of that noon. */

import {
  createJwtAuthenticator,
  type JwtAuthenticatorOptions,
  type JwtKey,
} from '../../../src/auth/jwt.js'
import { UnauthorizedError } from '../../../src/errors.js'
import { audience, claimsOf, type Forgery, forge, issuer, newTestKey } from './forged-tokens.js'

/** The vault that a right token reads and writes. */
export const vaultId = 'v'.repeat(26)
/** A vault that no token names. */
export const other = 'w'.repeat(26)
/** The issuer's key. */
export const key = newTestKey('key-1')
/** The key that the issuer takes next. */
export const next = newTestKey('key-2')
/** When it is, in milliseconds. */
const noon = Date.parse('2026-01-01T12:00:00Z')
/** When it is, as tokens say it. */
export const seconds = noon / 1000

/** The public halves of the keys. */
export function jwks(...keys: readonly { readonly publicJwk: object }[]): JwtKey[] {
  return keys.map(({ publicJwk }) => publicJwk)
}

/** An authenticator that knows the issuer's key and believes that it is noon. */
export function authenticator(
  changes: Partial<JwtAuthenticatorOptions> = {},
): ReturnType<typeof createJwtAuthenticator> {
  return createJwtAuthenticator({
    issuer,
    audience,
    keys: jwks(key),
    now: () => new Date(noon),
    ...changes,
  })
}

/** A token as of noon: right, but for what the forgery says. */
export function token(forgery: Forgery = {}, signer = key): string {
  return forge(signer, vaultId, {
    ...forgery,
    claims: { ...claimsOf(vaultId, noon), ...forgery.claims },
  })
}

/** The id of the caller, 401, or whatever else was thrown. */
export async function outcome(answer: Promise<{ readonly id: string }>): Promise<unknown> {
  return answer.then(
    ({ id }) => id,
    (error: unknown) => (error instanceof UnauthorizedError ? 401 : error),
  )
}
