/** Signs tokens that `createJwtAuthenticator` takes, for embedders who are their own issuer. */

import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JwtKey } from './key-resolver.js'
import { connectClaim, connectScopes, type VaultPermission } from './scopes.js'

/** A new pair of keys for ES256, each of which names the other by its `kid`. */
export interface SigningKey {
  /** For `issueToken`. A secret: to be kept as one. */
  readonly privateKey: JwtKey
  /** For the `keys` of `createJwtAuthenticator`, and for a JWKS. */
  readonly publicKey: JwtKey
}

/** Who gets a token for what. */
export interface IssueTokenInput {
  readonly privateKey: JwtKey
  readonly issuer: string
  readonly audience: string
  /** The caller's id. */
  readonly subject: string
  /** What he may do; at most some 120 vaults have room in a token. */
  readonly vaults: Readonly<Record<string, VaultPermission>>
  /** Seconds for which the token holds, a whole number from 1. */
  readonly lifetimeSeconds: number
  /** The clock; that of the machine if absent. */
  readonly now?: () => Date
}

/** A token, and what to write down of it. */
export interface IssuedToken {
  /** Goes to the client, and nowhere else. */
  readonly token: string
  /** A random UUID, under which the token can be taken back. */
  readonly jti: string
  /** From when a taken-back token need not be remembered any longer, but for the tolerance of clocks. */
  readonly expiresAt: Date
}

/** A new pair of keys. The `kid` is the public key's thumbprint (RFC 7638). */
export async function createSigningKey(): Promise<SigningKey> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const publicKey = await exportJWK(pair.publicKey)
  const kid = await calculateJwkThumbprint(publicKey)
  const named = { kid, alg: 'ES256', use: 'sig' } as const
  return {
    privateKey: { ...(await exportJWK(pair.privateKey)), ...named },
    publicKey: { ...publicKey, ...named },
  }
}

/**
 * A token signed with ES256, with the rights in the published service's shape (`connectScopes`).
 * @throws TypeError if the key is no private key on P-256, or another member is not what it should be; RangeError if
 * the token would be longer than `bearer` reads.
 */
export async function issueToken(input: IssueTokenInput): Promise<IssuedToken> {
  const {
    privateKey,
    issuer,
    audience,
    subject,
    vaults,
    lifetimeSeconds,
    now = () => new Date(),
  } = input
  if ([issuer, audience, subject].some((text) => typeof text !== 'string' || text === ''))
    throw new TypeError('issuer, audience and subject must be texts')
  if (!Number.isSafeInteger(lifetimeSeconds) || lifetimeSeconds < 1)
    throw new TypeError('lifetimeSeconds must be whole seconds')
  const issuedAt = Math.floor(now().getTime() / 1000)
  const tokenId = crypto.randomUUID()
  const token = await new SignJWT({ [connectScopes.claim]: connectClaim(vaults) })
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
  if (token.length > 8185) throw new RangeError('the token would be too long: too many vaults')
  return { token, jti: tokenId, expiresAt: new Date((issuedAt + lifetimeSeconds) * 1000) }
}
