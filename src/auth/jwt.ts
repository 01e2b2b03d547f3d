/**
 * JSON Web Tokens (RFC 7519) of an issuer whose public keys are known.
 * @module cofferkit/jwt
 */

import {
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { type Caller, createCaller } from '../core/access/caller.js'
import { UnauthorizedError } from '../errors.js'
import type { BearerAuthenticator } from './bearer.js'
import {
  createKeyResolver,
  type JwtAlgorithm,
  type JwtKey,
  jwtAlgorithms,
} from './jwt/key-resolver.js'
import { connectScopes, type ScopeReader } from './jwt/scopes.js'

export {
  createSigningKey,
  type IssuedToken,
  type IssueTokenInput,
  issueToken,
  type SigningKey,
} from './jwt/issue-token.js'
export type { JwtAlgorithm, JwtKey } from './jwt/key-resolver.js'
export { connectScopes, type ScopeReader, type VaultPermission } from './jwt/scopes.js'

/** Whose tokens are taken, and what they must hold. */
export interface JwtAuthenticatorOptions {
  /** What `iss` must be. */
  readonly issuer: string
  /** What `aud` must be, or have among its members. */
  readonly audience: string
  /**
   * The issuer's public keys, or where he publishes them (https). A key that has a `kid` is found by it; a token that
   * names none is tried with each key that fits its algorithm, and one that names another is refused.
   */
  readonly keys: readonly JwtKey[] | URL
  /** `['ES256']` if absent. */
  readonly algorithms?: readonly JwtAlgorithm[]
  /** By how many seconds the issuer's clock and this one may differ; 30 if absent. */
  readonly clockToleranceSeconds?: number
  /** Whether a token without `exp` is refused; true if absent. */
  readonly requireExpiry?: boolean
  /** Where the rights stand; `connectScopes` if absent. */
  readonly scopes?: ScopeReader
  /**
   * Whether the token of this `jti` is taken back; asked on every request, of tokens that are otherwise in order.
   * Only `false` lets one in.
   */
  isRevoked?(tokenId: string): boolean | Promise<boolean>
  /** The clock; that of the machine if absent. */
  now?(): Date
}

/** What of a token is wrong with the token, and not with keys, clocks or networks. */
const invalidTokenCodes: ReadonlySet<string> = new Set([
  'ERR_JOSE_ALG_NOT_ALLOWED',
  'ERR_JOSE_NOT_SUPPORTED',
  'ERR_JWKS_MULTIPLE_MATCHING_KEYS',
  'ERR_JWKS_NO_MATCHING_KEY',
  'ERR_JWS_INVALID',
  'ERR_JWS_SIGNATURE_VERIFICATION_FAILED',
  'ERR_JWT_CLAIM_VALIDATION_FAILED',
  'ERR_JWT_EXPIRED',
  'ERR_JWT_INVALID',
])

/**
 * An authenticator that believes tokens which were signed with one of the keys, for this audience, by this issuer, and
 * which have `sub`, `jti`, `exp` and the claim with the rights. The caller's id is `sub`; he carries the `jti`.
 *
 * It rejects with an UnauthorizedError, always the same, for whatever is wrong with a token; with anything else if the
 * keys cannot be fetched or used, or `isRevoked` fails: the mount answers that with 503.
 * @throws TypeError if an option is not what it should be.
 */
export function createJwtAuthenticator(options: JwtAuthenticatorOptions): BearerAuthenticator {
  const { scopes = connectScopes, now = () => new Date() } = options
  const findKey = createKeyResolver(options.keys)
  const demands = verifyOptions(options, scopes.claim)

  return async (token) => {
    const currentDate = now()
    const claims = await verifyToken(token, findKey, { ...demands, currentDate }).catch(
      toUnauthorized,
    )
    const { sub, jti: tokenId } = claims
    if (
      !isNonEmptyString(sub) ||
      !isNonEmptyString(tokenId) ||
      !hasValidTimes(claims, currentDate, demands.clockTolerance)
    )
      throw new UnauthorizedError()
    const caller = callerOf(sub, claims, scopes)
    if (options.isRevoked !== undefined && (await options.isRevoked(tokenId)) !== false)
      throw new UnauthorizedError()
    return { ...caller, tokenId }
  }
}

function verifyOptions(
  options: JwtAuthenticatorOptions,
  scopesClaim: string,
): JWTVerifyOptions & { readonly clockTolerance: number } {
  const { issuer, audience, algorithms = ['ES256'], clockToleranceSeconds = 30 } = options
  if (!isNonEmptyString(issuer) || !isNonEmptyString(audience) || !isNonEmptyString(scopesClaim))
    throw new TypeError('issuer, audience and the claim of the scopes must be texts')
  if (!(clockToleranceSeconds >= 0 && clockToleranceSeconds < Number.POSITIVE_INFINITY))
    throw new TypeError('clockTolerance must be seconds')
  if (algorithms.length === 0 || !algorithms.every((name) => jwtAlgorithms.includes(name)))
    throw new TypeError(`algorithms must be among ${jwtAlgorithms.join(', ')}`)
  const expiry = options.requireExpiry === false ? [] : ['exp']
  const requiredClaims = ['sub', 'jti', scopesClaim, ...expiry]
  return {
    issuer,
    audience,
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSeconds,
    requiredClaims,
  }
}

/** What the token claims, once its signature, issuer, audience and times are found to be right. */
async function verifyToken(
  token: string,
  findKey: JWTVerifyGetKey,
  demands: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, findKey, demands)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      const verified = await jwtVerify(token, key, demands).catch(ignoreSignatureMismatch)
      if (verified !== undefined) return verified.payload
    }
    throw error
  }
}

function ignoreSignatureMismatch(error: unknown): undefined {
  if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
}

function toUnauthorized(error: unknown): never {
  const isRefusal = error instanceof errors.JOSEError && invalidTokenCodes.has(error.code)
  throw isRefusal ? new UnauthorizedError() : error
}

/** The times that `jose` leaves open: one of issue that is yet to come, one of expiry that never does. */
function hasValidTimes({ iat = 0, exp = 0 }: JWTPayload, now: Date, tolerance: number): boolean {
  return iat <= Math.floor(now.getTime() / 1000) + tolerance && exp < Number.POSITIVE_INFINITY
}

/** @throws UnauthorizedError if the scopes are not what their reader knows. */
function callerOf(id: string, claims: JWTPayload, scopes: ScopeReader): Caller {
  try {
    const rights = scopes.parse(claims[scopes.claim])
    if (rights !== undefined) return createCaller(id, rights)
  } catch {
    // What a reader cannot read is no right.
  }
  throw new UnauthorizedError()
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
