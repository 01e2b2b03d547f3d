/** Finds the public key that a token must have been signed with. */

import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose'

/** A JSON Web Key (RFC 7517). Keys and coordinates are in base64url (RFC 7518, section 6; RFC 8037). */
export interface JwtKey {
  /** The type of the key: `EC`, `RSA` or `OKP`. */
  readonly kty?: string
  /** The id of the key. A token names its key by this id. */
  readonly kid?: string
  /** The only algorithm that the key may be used with. */
  readonly alg?: string
  /** `sig` for a key that verifies signatures. */
  readonly use?: string
  /** The operations that the key may be used for. */
  readonly key_ops?: string[]
  /** True if the Web Cryptography API may export the key. */
  readonly ext?: boolean
  /** The curve of an `EC` or `OKP` key, such as `P-256` or `Ed25519`. */
  readonly crv?: string
  /** The x coordinate of an `EC` key; the public key of an `OKP` key. */
  readonly x?: string
  /** The y coordinate of an `EC` key. */
  readonly y?: string
  /** The modulus of an `RSA` key. */
  readonly n?: string
  /** The public exponent of an `RSA` key. */
  readonly e?: string
  /** The private part of a private key. */
  readonly d?: string
}

/** What signs a token (RFC 7518, section 3.1; RFC 8037; RFC 9864). Always a pair of keys, never a shared secret. */
export type JwtAlgorithm = `${'ES' | 'RS' | 'PS'}${256 | 384 | 512}` | 'EdDSA' | 'Ed25519'

/** Every algorithm that may be allowed. */
export const jwtAlgorithms: readonly JwtAlgorithm[] = [
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'EdDSA',
  'Ed25519',
]

/** Characters of a coordinate in base64url, by type and curve. */
const coordinateLengths: ReadonlyMap<string, number> = new Map([
  ['EC P-256', 43],
  ['EC P-384', 64],
  ['EC P-521', 88],
  ['OKP Ed25519', 43],
])

/** Characters of 2,048 bits in base64url: shorter RSA keys are refused (RFC 7518, section 3.3). */
const shortestModulus = 342

/** Headers that would let a token bring its own key, or be read by rules that are unknown here. */
const refusedHeaders = ['jwk', 'jku', 'x5c', 'x5u', 'crit']

/**
 * Looks for keys in `keys` alone: a list, or the address of a JWKS, which is fetched when it is first needed, when it is
 * ten minutes old, and when a key is not in it, but for that no sooner than 30 seconds after the last time.
 * @throws TypeError if the list is empty or holds what is no public key; if the address is not https, or http to this
 * machine.
 */
export function createKeyResolver(keys: readonly JwtKey[] | URL): JWTVerifyGetKey {
  const find =
    keys instanceof URL ? createRemoteJWKSet(assertSecureUrl(keys)) : createLocalResolver(keys)
  return async (header, token) => {
    if (refusedHeaders.some((name) => Object.hasOwn(header, name)))
      throw new errors.JOSENotSupported()
    return find(header, token)
  }
}

function createLocalResolver(keys: readonly JwtKey[]): JWTVerifyGetKey {
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isPublic))
    throw new TypeError('keys must be public JSON Web Keys, or the URL of a set of them')
  return createLocalJWKSet({ keys: [...keys] })
}

/** Whether the members are those of a public key (RFC 7518, section 6; RFC 8037). Whether they fit is found in use. */
function isPublic(key: unknown): boolean {
  const { kty, crv = '', x, y, n, e, d }: JwtKey = Object(key)
  if (d !== undefined) return false
  if (kty === 'RSA') return isNumber(n) && n.length >= shortestModulus && isNumber(e)
  const length = coordinateLengths.get(`${kty} ${crv}`)
  return (
    isNumber(x) && x.length === length && (kty === 'OKP' || (isNumber(y) && y.length === length))
  )
}

function isNumber(text: unknown): text is string {
  return typeof text === 'string' && /^[\w-]+$/.test(text)
}

function assertSecureUrl(url: URL): URL {
  const isLoopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)) return url
  throw new TypeError('keys must be fetched by https')
}
