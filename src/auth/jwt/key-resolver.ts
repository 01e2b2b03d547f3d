/** Resolves the public key for the signature of a token. */

import { argumentError, type Kind } from '../../base/argument.js'
import { createLocalJWKSet, createRemoteJWKSet, errors, type JWTVerifyGetKey } from './jose.js'

/** A JSON Web Key (RFC 7517). The numbers are in base64url (RFC 7518, section 6; RFC 8037). */
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
  /** The x coordinate of an `EC` key, or the public key of an `OKP` key. */
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

/**
 * A signature algorithm (RFC 7518, section 3.1; RFC 8037; RFC 9864). All of them use a key pair,
 * never a shared secret.
 */
export type JwtAlgorithm = `${'ES' | 'RS' | 'PS'}${256 | 384 | 512}` | 'EdDSA' | 'Ed25519'

/** Every algorithm that can be allowed. */
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

/** Characters of 2,048 bits in base64url. Shorter RSA keys are rejected (RFC 7518, section 3.3). */
const minModulusLength = 342

/** Public keys, or the URL of a JWKS: `https:`, or `http:` to this machine. */
export const jwtKeys: Kind<readonly JwtKey[] | URL, readonly JwtKey[] | URL | string> = (
  given,
  path,
) => {
  const keys = typeof given === 'string' && URL.canParse(given) ? new URL(given) : given
  if (keys instanceof URL) {
    if (!isSecure(keys)) throw argumentError(keys, path, 'fetched over https')
  } else if (typeof keys === 'string' || !isKeyList(keys)) {
    throw argumentError(keys, path, 'public JSON Web Keys, or the URL of a JWKS')
  }
  return keys
}

/** Headers with which a token could supply its own key, or require unknown extensions. */
const rejectedHeaders = ['jwk', 'jku', 'x5c', 'x5u', 'crit']

/**
 * Creates a function that resolves the key of a token from `keys` only: a list, or the URL of a
 * JWKS. The JWKS is fetched when it is first needed and when it is ten minutes old. If a key is
 * missing, it is fetched again, but at most every 30 seconds. The function rejects with an error of
 * `jose` if the token has a rejected header or no matching key, and with another error if the JWKS
 * cannot be fetched.
 */
export function createKeyResolver(keys: readonly JwtKey[] | URL): JWTVerifyGetKey {
  const resolveKey =
    keys instanceof URL ? createRemoteJWKSet(keys) : createLocalJWKSet({ keys: [...keys] })
  return async (header, token) => {
    if (rejectedHeaders.some((name) => Object.hasOwn(header, name)))
      throw new errors.JOSENotSupported()
    return resolveKey(header, token)
  }
}

function isKeyList(keys: readonly JwtKey[]): boolean {
  return Array.isArray(keys) && keys.length > 0 && keys.every(isPublic)
}

/**
 * Returns true if the members are those of a public key (RFC 7518, section 6; RFC 8037). If a point
 * is not on its curve, using the key fails.
 */
function isPublic(key: unknown): boolean {
  const { kty, crv = '', x, y, n, e, d }: JwtKey = Object(key)
  if (d !== undefined) return false
  if (kty === 'RSA') return isBase64url(n) && n.length >= minModulusLength && isBase64url(e)
  const length = coordinateLengths.get(`${kty} ${crv}`)
  return (
    isBase64url(x) &&
    x.length === length &&
    (kty === 'OKP' || (isBase64url(y) && y.length === length))
  )
}

function isBase64url(text: unknown): text is string {
  return typeof text === 'string' && /^[\w-]+$/.test(text)
}

function isSecure({ protocol, hostname }: URL): boolean {
  const isLoopback = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  return protocol === 'https:' || (protocol === 'http:' && isLoopback)
}
