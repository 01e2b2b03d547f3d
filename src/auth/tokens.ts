/**
 * Authenticates callers by static tokens, of which your configuration contains only the digests.
 * @module cofferkit/tokens
 */

import { type Kind, list, notEmpty, text } from '../base/argument.js'
import { toBase64 } from '../base/base64.js'
import { invalidTokenError } from '../base/fixed-errors.js'
import { defineOptions, type OptionKinds } from '../base/options.js'
import { timingSafeEqual } from '../base/timing-safe-equal.js'
import { fromHex, toHex } from '../base/to-hex.js'
import {
  type CallerOptions,
  callerOptionKinds,
  createCaller,
  type KnownCaller,
} from '../core/access/caller.js'
import { assertBearerToken, type BearerAuthenticator } from './bearer.js'

/** The configuration of a token: the options of `createCaller` for its caller, and its digest. */
export interface StaticToken extends CallerOptions {
  /** The digest from {@link hashToken}: SHA-256, 64 hexadecimal digits in any case. */
  readonly sha256: string
}

const tokenOptions = defineOptions({
  sha256: text('64 hexadecimal digits: create one with npx cofferkit token', /^[\da-f]{64}$/i),
  ...callerOptionKinds,
} satisfies OptionKinds<StaticToken, 'expiresAt' | 'use'>)

/** Options of `createTokenAuthenticator`. */
export interface TokenAuthenticatorOptions {
  /** The tokens that are accepted. */
  readonly tokens: readonly StaticToken[]
}

/** A token whose options have been checked. */
const staticToken: Kind<StaticToken> = (token, path) => {
  tokenOptions.read(token, path)
  return token
}

const authenticatorOptions = defineOptions({
  tokens: list('a list of tokens', staticToken),
} satisfies OptionKinds<TokenAuthenticatorOptions>)

/** A new token and its digest. */
export interface CreatedToken {
  /**
   * 256 random bits in 43 characters of base64url. It is the client's secret, so do not store it.
   */
  readonly token: string
  /** The digest of the token, for {@link StaticToken}. */
  readonly sha256: string
}

/**
 * Creates an authenticator for `bearerAuth` that accepts these tokens. It rejects any other token
 * with UnauthorizedError (401).
 *
 * The digest of a token is compared with every digest in `tokens`, and the time does not depend on
 * which one matches. Valid tokens are cached, so that each is hashed once. For a cached token, the
 * caller is returned without a promise.
 *
 * @throws TypeError if
 * - `tokens` is not a list of tokens
 * - an id is empty, or a permission is unknown
 * - a digest is not 64 hexadecimal digits, or occurs twice
 *
 * @example
 * ```ts
 * import { createToken, createTokenAuthenticator } from 'cofferkit/tokens'
 *
 * const { token, sha256 } = await createToken()
 * const authenticator = createTokenAuthenticator({
 *   tokens: [{ id: 'deploy', sha256, vaults: { aaaaaaaaaaaaaaaaaaaaaaaaaa: 'read' } }],
 * })
 * ```
 */
export function createTokenAuthenticator(
  options: TokenAuthenticatorOptions,
): BearerAuthenticator<KnownCaller> {
  const tokens = authenticatorOptions.read(options).tokens.map(({ sha256, ...caller }) => ({
    digest: fromHex(sha256) as Uint8Array,
    caller: createCaller(caller),
  }))
  if (new Set(tokens.map(({ digest }) => String(digest))).size !== tokens.length)
    throw new TypeError('options.tokens must not contain a sha256 twice')
  // Callers by token. It contains only valid tokens, so it cannot grow without limit.
  const cache = new Map<string, KnownCaller>()
  const authenticate = async (token: string): Promise<KnownCaller> => {
    assertBearerToken(token)
    const digest = await sha256Of(token)
    let caller: KnownCaller | undefined
    for (const candidate of tokens) {
      if (timingSafeEqual(candidate.digest, digest)) caller = candidate.caller
    }
    if (caller === undefined) throw invalidTokenError()
    cache.set(token, caller)
    return caller
  }
  return (token) => cache.get(token) ?? authenticate(token)
}

/**
 * Creates a token with the cryptographic random generator.
 * @example
 * ```ts
 * import { createToken } from 'cofferkit/tokens'
 *
 * const { token, sha256 } = await createToken() // give the token away, and store only sha256
 * ```
 */
export async function createToken(): Promise<CreatedToken> {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const token = toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replace('=', '')
  return { token, sha256: await hashToken(token) }
}

/**
 * Returns the SHA-256 of a token in 64 lowercase hexadecimal digits. A token should have at least
 * 128 random bits.
 * @throws TypeError if `token` is not a string, or is empty.
 */
export async function hashToken(token: string): Promise<string> {
  notEmpty()(token, 'token')
  return toHex(await sha256Of(token))
}

async function sha256Of(token: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token)))
}
