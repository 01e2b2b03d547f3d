/** Signs valid and forged JSON Web Tokens without the library that verifies them. */

import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'

/** The issuer of valid tokens. */
export const issuer = 'https://issuer.test'

/** The audience of valid tokens. */
export const audience = 'vault.test'

/** A key on P-256 with its id. */
export interface TestKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicJwk: JsonWebKey & { readonly kid: string }
}

/** The differences of a token from a valid one; a member that is undefined is left out. */
export interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** The text of the payload, in place of the claims. */
  readonly payload?: string
  /** Creates the signature from the signing input. */
  readonly signature?: (input: string, key: TestKey) => Uint8Array
}

/** Creates a key. */
export function newTestKey(kid: string): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, privateKey, publicJwk: { ...publicKey.export({ format: 'jwk' }), kid } }
}

/** Returns the key as a private JWK. */
export function privateJwk({ privateKey, kid }: TestKey): JsonWebKey & { readonly kid: string } {
  return { ...privateKey.export({ format: 'jwk' }), kid }
}

/** Returns the claims of a token that is valid for an hour and can read and write the vault. */
export function createClaims(vaultId: string, now = Date.now()): Record<string, unknown> {
  const seconds = Math.floor(now / 1000)
  return {
    iss: issuer,
    aud: audience,
    sub: 'wendy',
    jti: 'token-1',
    iat: seconds,
    exp: seconds + 3600,
    '1password.com/vts': [{ u: vaultId, a: 496 }],
  }
}

/** Creates a token that is valid for the vault, except for the forgery. */
export function forge(key: TestKey, vaultId: string, forgery: Forgery = {}): string {
  const { header = {}, claims = {}, signature = signEs256 } = forgery
  const whole = { alg: 'ES256', typ: 'JWT', kid: key.kid, ...header }
  const payload = forgery.payload ?? JSON.stringify({ ...createClaims(vaultId), ...claims })
  const input = `${base64url(JSON.stringify(whole))}.${base64url(payload)}`
  return `${input}.${base64url(signature(input, key))}`
}

/** The signature of ES256: two integers of 32 bytes (RFC 7518, section 3.4). */
export function signEs256(input: string, { privateKey }: TestKey): Uint8Array {
  return sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
}

/** The same signature in DER. */
export function signDer(input: string, { privateKey }: TestKey): Uint8Array {
  return sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'der' })
}

/** Returns an HMAC that uses the public key, in one of its formats, as the shared secret. */
export function hmacWith(
  format: 'pem' | 'der' | 'jwk',
): (input: string, key: TestKey) => Uint8Array {
  return (input, { privateKey, publicJwk }) => {
    const publicKey = createPublicKey(privateKey)
    const secret = {
      pem: () => publicKey.export({ format: 'pem', type: 'spki' }),
      der: () => publicKey.export({ format: 'der', type: 'spki' }),
      jwk: () => JSON.stringify(publicJwk),
    }[format]()
    return createHmac('sha256', secret).update(input).digest()
  }
}

/** Returns a signature with RS256 or another algorithm of the key. */
export function signedWith(
  hash: string | undefined,
  key: JsonWebKey,
): (input: string, own: TestKey) => Uint8Array {
  const privateKey = createPrivateKey({ key, format: 'jwk' })
  return (input) => sign(hash, Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
}

/** Encodes bytes or a string as base64url without padding. */
export function base64url(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64url')
}
