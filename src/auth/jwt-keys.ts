/** Finds the public key that a token must have been signed with. */

import { createLocalJWKSet, createRemoteJWKSet, errors, type JWK, type JWTVerifyGetKey } from 'jose'

/** A JSON Web Key (RFC 7517), as JSON. */
export type JwtKey = JWK

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

/** Headers that would let a token bring its own key, or be read by rules that are unknown here. */
const refusedHeaders = ['jwk', 'jku', 'x5c', 'x5u', 'crit']

/**
 * Looks for keys in `keys` alone: a list, or the address of a JWKS, which is fetched when it is first needed, when it is
 * ten minutes old, and when a key is not in it, but for that no sooner than 30 seconds after the last time.
 * @throws TypeError if the list is empty or holds what is no public key; if the address is not https, or http to this
 * machine.
 */
export function createKeyFinder(keys: readonly JwtKey[] | URL): JWTVerifyGetKey {
  const find = keys instanceof URL ? createRemoteJWKSet(checkedUrl(keys)) : listed(keys)
  return async (header, token) => {
    if (refusedHeaders.some((name) => Object.hasOwn(header, name)))
      throw new errors.JOSENotSupported()
    return find(header, token)
  }
}

function listed(keys: readonly JwtKey[]): JWTVerifyGetKey {
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isPublic))
    throw new TypeError('keys must be public JSON Web Keys, or the URL of a set of them')
  return createLocalJWKSet({ keys: [...keys] })
}

function isPublic(key: unknown): boolean {
  const { kty, d }: JwtKey = Object(key)
  return (kty === 'EC' || kty === 'RSA' || kty === 'OKP') && d === undefined
}

function checkedUrl(url: URL): URL {
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isHere)) return url
  throw new TypeError('keys must be fetched by https')
}
