/** Issues tokens for `createJwtAuthenticator`, for embedders that are their own issuer. */

import { clock, integer, kindOf, notEmpty } from '../../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../../base/options.js'
import { safeGet } from '../../base/safe-get.js'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from './jose.js'
import type { JwtKey } from './key-resolver.js'
import { claimedVaults, connectScopes, toConnectClaim, type VaultPermission } from './scopes.js'

/** How many characters fit into a header of 8,192 bytes after `Bearer `. */
const maxTokenLength = 8185

/** 31 days. An hour in milliseconds is more. */
const maxLifetimeSeconds = 2_678_400

/** A pair of keys for ES256 with the same `kid`. */
export interface SigningKey {
  /** For {@link issueToken}. Keep it secret. */
  readonly privateKey: JwtKey
  /** For the `keys` of `createJwtAuthenticator`, and for a JWKS. */
  readonly publicKey: JwtKey
}

/** Input of {@link issueToken}. */
export interface IssueTokenInput {
  /** A private key on P-256. */
  readonly privateKey: JwtKey
  /** The `iss` of the token. */
  readonly issuer: string
  /** The `aud` of the token. */
  readonly audience: string
  /** The `sub` of the token: the caller's id. */
  readonly subject: string
  /** The permissions of the caller by vault id. A token has room for about 120 vaults. */
  readonly vaults: Readonly<Record<string, VaultPermission>>
  /** The seconds until the token expires: a whole number from 1 to 2,678,400 (31 days). */
  readonly lifetimeSeconds: number
  /** Returns the current time. Default: the system's. */
  readonly now?: (() => Date) | undefined
}

const tokenInput = defineOptions({
  privateKey: kindOf<JwtKey>(
    'a private JSON Web Key, such as the privateKey of createSigningKey',
    (key) => typeof safeGet(key, 'd') === 'string',
  ),
  issuer: notEmpty(),
  audience: notEmpty(),
  subject: notEmpty(),
  vaults: claimedVaults,
  lifetimeSeconds: integer({ unit: 'seconds', min: 1, max: maxLifetimeSeconds }),
  now: optional(clock, () => new Date()),
} satisfies OptionKinds<IssueTokenInput>)

/** A new token and what is needed to revoke it. */
export interface IssuedToken {
  /** It is the client's secret, so do not store it. */
  readonly token: string
  /** A random UUID. Use it to revoke the token. */
  readonly jti: string
  /**
   * The time when the token expires. A revocation can be deleted after this time plus the clock
   * tolerance.
   */
  readonly expiresAt: Date
}

/**
 * Creates a pair of keys. The `kid` is the thumbprint of the public key (RFC 7638).
 * @example
 * ```ts
 * import { createSigningKey } from 'cofferkit/jwt'
 *
 * const { privateKey, publicKey } = await createSigningKey() // for issueToken and for `keys`
 * ```
 */
export async function createSigningKey(): Promise<SigningKey> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const publicKey = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(publicKey)
  const metadata = { kid, alg: 'ES256', use: 'sig' } as const
  return {
    privateKey: { ...(await exportJWK(pair.privateKey)), ...metadata },
    publicKey: { ...publicKey, ...metadata },
  }
}

/**
 * Issues a token that is signed with ES256 and contains the permissions in the form of
 * `connectScopes`.
 *
 * @throws TypeError if the key is not a private key on P-256, or if another member is invalid.
 * @throws RangeError if `lifetimeSeconds` is out of range, or if the token is longer than the 8,185 characters that `bearerAuth` accepts.
 *
 * @example
 * ```ts
 * import { createSigningKey, issueToken } from 'cofferkit/jwt'
 *
 * const { privateKey, publicKey } = await createSigningKey()
 * const { token, jti, expiresAt } = await issueToken({
 *   privateKey,
 *   issuer: 'https://login.example.com',
 *   audience: 'https://vault.example.com',
 *   subject: 'deploy',
 *   vaults: { aaaaaaaaaaaaaaaaaaaaaaaaaa: 'read' },
 *   lifetimeSeconds: 3600,
 * })
 * ```
 */
export async function issueToken(input: IssueTokenInput): Promise<IssuedToken> {
  const { privateKey, issuer, audience, subject, vaults, lifetimeSeconds, now } = tokenInput.read(
    input,
    'input',
  )
  const issuedAt = Math.floor(now().getTime() / 1000)
  const tokenId = crypto.randomUUID()
  const token = await new SignJWT({ [connectScopes.claim]: toConnectClaim(vaults) })
    .setProtectedHeader({
      alg: 'ES256',
      typ: 'JWT',
      ...(privateKey.kid !== undefined && { kid: privateKey.kid }),
    })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setJti(tokenId)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(privateKey)
  if (token.length > maxTokenLength)
    throw new RangeError('the token is too long: it has too many vaults')
  return { token, jti: tokenId, expiresAt: new Date((issuedAt + lifetimeSeconds) * 1000) }
}
