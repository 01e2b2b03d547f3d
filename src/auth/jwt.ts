/**
 * Verifies an issuer's JSON Web Tokens (RFC 7519), and issues new ones.
 * @module cofferkit/jwt
 */

import {
  argumentError,
  callback,
  clock,
  flag,
  like,
  list,
  notEmpty,
  number,
  oneOf,
} from '../base/argument.js'
import { invalidTokenError } from '../base/fixed-errors.js'
import {
  defineOptions,
  type OptionKinds,
  type OptionValues,
  omittable,
  optional,
} from '../base/options.js'
import { type Caller, createCaller } from '../core/access/caller.js'
import { assertBearerToken } from './bearer.js'
import {
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from './jwt/jose.js'
import {
  createKeyResolver,
  type JwtAlgorithm,
  type JwtKey,
  jwtAlgorithms,
  jwtKeys,
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

/** Options of {@link createJwtAuthenticator}. */
export interface JwtAuthenticatorOptions {
  /** The required `iss`. */
  readonly issuer: string
  /** The required `aud`, or one of its members. */
  readonly audience: string
  /**
   * The public keys of the issuer, or the URL of its JWKS: `https:`, or `http:` to this machine. A
   * token with a `kid` is verified with the key that has this `kid`, and rejected if there is none.
   * A token without a `kid` is tried with each key that fits its algorithm.
   */
  readonly keys: readonly JwtKey[] | URL | string
  /** The accepted algorithms. Default: `['ES256']`. */
  readonly algorithms?: readonly JwtAlgorithm[] | undefined
  /** How far the issuer's clock may differ, in seconds: 0 to 600. Default: 30. */
  readonly clockToleranceSeconds?: number | undefined
  /** If true, a token without `exp` is rejected. Default: true. */
  readonly requireExpiry?: boolean | undefined
  /** The claim with the permissions, and its parser. Default: {@link connectScopes}. */
  readonly scopes?: ScopeReader | undefined
  /**
   * Return true if the token with this `jti` is revoked. It is called on every request, but only
   * for tokens that are otherwise valid. Every result except `false` rejects the token.
   */
  readonly isRevoked?: (tokenId: string) => boolean | Promise<boolean>
  /** Returns the current time. Default: the system's. */
  readonly now?: (() => Date) | undefined
}

const authenticatorOptions = defineOptions({
  issuer: notEmpty(),
  audience: notEmpty(),
  keys: jwtKeys,
  algorithms: optional(list('a list of algorithms', oneOf(...jwtAlgorithms)), ['ES256']),
  clockToleranceSeconds: optional(number({ unit: 'seconds', min: 0, max: 600 }), 30),
  requireExpiry: optional(flag(), true),
  scopes: optional(like(connectScopes), connectScopes),
  isRevoked: omittable(callback()),
  now: optional(clock, () => new Date()),
} satisfies OptionKinds<JwtAuthenticatorOptions, 'isRevoked'>)

/** Codes of `jose` for an invalid token. All other codes mean that a key or the network failed. */
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
 * Creates an authenticator for `bearerAuth`. It accepts a token that is signed with one of the
 * keys, has the issuer and the audience, has not expired, and contains `sub`, `jti`, `exp` (unless
 * `requireExpiry` is false) and the claim with the permissions. The caller's `id` is the `sub`, its
 * `tokenId` the `jti`, and its `expiresAt` the `exp` plus `clockToleranceSeconds`.
 *
 * It rejects with UnauthorizedError (401), always with the same message, for an invalid token. If
 * the keys cannot be fetched or used, or if `isRevoked` fails, it rejects with another error, and
 * the response is 503.
 *
 * @throws TypeError if an option is invalid.
 * @throws RangeError if `clockToleranceSeconds` is out of range.
 *
 * @example
 * ```ts
 * import { bearerAuth, createHttpHandler } from 'cofferkit/http'
 * import { createJwtAuthenticator } from 'cofferkit/jwt'
 *
 * const authenticator = createJwtAuthenticator({
 *   issuer: 'https://login.example.com',
 *   audience: 'https://vault.example.com',
 *   keys: 'https://login.example.com/.well-known/jwks.json',
 * })
 * const api = createHttpHandler(service, { authenticate: bearerAuth(authenticator) })
 * ```
 */
export function createJwtAuthenticator(
  options: JwtAuthenticatorOptions,
): (bearerToken: string) => Promise<Caller> {
  const settings = authenticatorOptions.read(options)
  const { scopes, now } = settings
  notEmpty()(scopes.claim, 'options.scopes.claim')
  if (settings.algorithms.length === 0)
    throw argumentError(settings.algorithms, 'options.algorithms', 'a list of 1 or more algorithms')
  const resolveKey = createKeyResolver(settings.keys)
  const verifyOptions = createVerifyOptions(settings)

  return async (token) => {
    assertBearerToken(token)
    const currentDate = now()
    const claims = await verifyToken(token, resolveKey, { ...verifyOptions, currentDate }).catch(
      throwUnauthorized,
    )
    const { sub, jti: tokenId } = claims
    if (
      !isNonEmptyString(sub) ||
      !isNonEmptyString(tokenId) ||
      !hasValidTimes(claims, currentDate, verifyOptions.clockTolerance)
    )
      throw invalidTokenError()
    const caller = createCallerFromClaims(sub, claims, scopes)
    if (settings.isRevoked !== undefined && (await settings.isRevoked(tokenId)) !== false)
      throw invalidTokenError()
    const expiresAt = toExpiry(claims, verifyOptions.clockTolerance)
    return { ...caller, tokenId, ...(expiresAt && { expiresAt }) }
  }
}

function createVerifyOptions(
  options: OptionValues<typeof authenticatorOptions.kinds>,
): JWTVerifyOptions & { readonly clockTolerance: number } {
  const { issuer, audience, algorithms, clockToleranceSeconds, scopes, requireExpiry } = options
  return {
    issuer,
    audience,
    algorithms: [...algorithms],
    clockTolerance: clockToleranceSeconds,
    requiredClaims: ['sub', 'jti', scopes.claim, ...(requireExpiry ? ['exp'] : [])],
  }
}

/** Returns the claims of a token after checking its signature, issuer, audience and times. */
async function verifyToken(
  token: string,
  resolveKey: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, resolveKey, options)).payload
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error
    for await (const key of error) {
      const verified = await jwtVerify(token, key, options).catch(ignoreSignatureMismatch)
      if (verified !== undefined) return verified.payload
    }
    throw error
  }
}

function ignoreSignatureMismatch(error: unknown): undefined {
  if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
}

function throwUnauthorized(error: unknown): never {
  const isInvalidToken = error instanceof errors.JOSEError && invalidTokenCodes.has(error.code)
  throw isInvalidToken ? invalidTokenError() : error
}

/** Checks what `jose` does not: `iat` must not be in the future, and `exp` must be finite. */
function hasValidTimes({ iat = 0, exp = 0 }: JWTPayload, now: Date, tolerance: number): boolean {
  return iat <= Math.floor(now.getTime() / 1000) + tolerance && exp < Number.POSITIVE_INFINITY
}

/** The greatest time of a date, in milliseconds. */
const maxTimeMs = 8.64e15

/** Returns when the caller of a token expires, or undefined if the token does not expire. */
function toExpiry({ exp }: JWTPayload, tolerance: number): Date | undefined {
  return exp === undefined ? undefined : new Date(Math.min((exp + tolerance) * 1000, maxTimeMs))
}

/** @throws UnauthorizedError if `scopes` cannot parse permissions from the claim. */
function createCallerFromClaims(id: string, claims: JWTPayload, scopes: ScopeReader): Caller {
  try {
    const permissions = scopes.parse(claims[scopes.claim])
    if (permissions !== undefined) return createCaller({ id, vaults: permissions })
  } catch {
    // A claim that cannot be parsed gives no permissions.
  }
  throw invalidTokenError()
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
