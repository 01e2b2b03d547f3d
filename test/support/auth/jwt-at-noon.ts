/** An authenticator with a fixed time, noon of one day, and tokens that are valid at that time. */

import {
  createJwtAuthenticator,
  type JwtAuthenticatorOptions,
  type JwtKey,
} from '../../../src/auth/jwt.js'
import { UnauthorizedError } from '../../../src/errors.js'
import { audience, createClaims, type Forgery, forge, issuer, newTestKey } from './forged-tokens.js'

/** The vault that valid tokens can read and write. */
export const vaultId = 'v'.repeat(26)
/** A vault that no token grants. */
export const otherVaultId = 'w'.repeat(26)
/** The issuer's key. */
export const key = newTestKey('key-1')
/** The next key of the issuer. */
export const nextKey = newTestKey('key-2')
/** The time in milliseconds. */
const noon = Date.parse('2026-01-01T12:00:00Z')
/** The time in seconds, as in tokens. */
export const nowSeconds = noon / 1000

/** The public keys. */
export function jwks(...keys: readonly { readonly publicJwk: object }[]): JwtKey[] {
  return keys.map(({ publicJwk }) => publicJwk)
}

/** Creates an authenticator with the issuer's key and the fixed time. */
export function createNoonAuthenticator(
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

/** Creates a token that is valid at noon, except for the forgery. */
export function createToken(forgery: Forgery = {}, signer = key): string {
  return forge(signer, vaultId, {
    ...forgery,
    claims: { ...createClaims(vaultId, noon), ...forgery.claims },
  })
}

/** Returns the id of the caller, or 401; throws any other error. */
export async function outcome(result: Promise<{ readonly id: string | number }>): Promise<unknown> {
  return result.then(
    ({ id }) => id,
    (error: unknown) => (error instanceof UnauthorizedError ? 401 : error),
  )
}
