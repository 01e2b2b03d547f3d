/**
 * Static tokens, of which only digests are kept.
 * @module cofferkit/tokens
 */

import { type Caller, createCaller, type VaultPermissions } from '../core/access/caller.js'
import { UnauthorizedError } from '../errors.js'
import type { BearerAuthenticator } from './bearer.js'

/** A token and what it may do. */
export interface StaticToken {
  /** The caller's id. */
  readonly id: string
  /** What `hashToken` made of the token: SHA-256, 64 hexadecimal digits. */
  readonly sha256: string
  readonly vaults: VaultPermissions
}

/** A new token, and what to configure of it. */
export interface CreatedToken {
  /** 256 random bits in 43 characters of base64url. Goes to the client, and nowhere else. */
  readonly token: string
  /** Its digest, for {@link StaticToken}. */
  readonly sha256: string
}

/**
 * An authenticator that knows these tokens. A token's digest is compared with all of them in a time that does not
 * depend on which of them fits; a token that was found is remembered, so that it is hashed once.
 * @throws TypeError if an id is empty, a digest is not 64 hexadecimal digits or stands there twice, or a right is unknown.
 */
export function createTokenAuthenticator(options: {
  readonly tokens: readonly StaticToken[]
}): BearerAuthenticator {
  const known = options.tokens.map(({ id, sha256, vaults }) => ({
    digest: parseDigest(sha256),
    caller: createCaller(id, vaults),
  }))
  if (new Set(known.map(({ digest }) => String(digest))).size !== known.length)
    throw new TypeError('a sha256 must not stand in the list twice')
  if (options.tokens.some(({ id }) => id === '')) throw new TypeError('an id must not be empty')
  // By what came in: no more of them than tokens that are known.
  const found = new Map<string, Caller>()
  return async (token) => {
    const remembered = found.get(token)
    if (remembered !== undefined) return remembered
    const digest = await sha256Of(token)
    let caller: Caller | undefined
    for (const candidate of known) {
      if (equal(candidate.digest, digest)) caller = candidate.caller
    }
    if (caller === undefined) throw new UnauthorizedError()
    found.set(token, caller)
    return caller
  }
}

/** A new token from the cryptographic generator. */
export async function createToken(): Promise<CreatedToken> {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  const token = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '')
  return { token, sha256: await hashToken(token) }
}

/** The token's SHA-256 in 64 lowercase hexadecimal digits. A token should hold at least 128 random bits. */
export async function hashToken(token: string): Promise<string> {
  return Array.from(await sha256Of(token), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

async function sha256Of(token: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token)))
}

function parseDigest(hex: string): Uint8Array {
  if (!/^[\da-f]{64}$/i.test(hex)) throw new TypeError('sha256 must be 64 hexadecimal digits')
  return Uint8Array.from({ length: 32 }, (_, index) =>
    Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16),
  )
}

/** In constant time: every byte is looked at, whatever the ones before were. */
function equal(left: Uint8Array, right: Uint8Array): boolean {
  let difference = 0
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] as number)
  return difference === 0
}
