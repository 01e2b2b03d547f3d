/** Signs JSON Web Tokens by hand, right ones and every kind of wrong one, without the library that reads them. */

import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  sign,
} from 'node:crypto'

/** The issuer of every token that is right. */
export const issuer = 'https://issuer.test'

/** The audience of every token that is right. */
export const audience = 'vault.test'

/** A key on P-256 under a name. */
export interface TestKey {
  readonly kid: string
  readonly privateKey: KeyObject
  readonly publicJwk: JsonWebKey & { readonly kid: string }
}

/** What of a token is unlike a right one; a member that is undefined is left out of the token. */
export interface Forgery {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
  /** The payload's text, in place of the claims. */
  readonly payload?: string
  /** Makes the signature's bytes from what is signed. */
  readonly signature?: (input: string, key: TestKey) => Uint8Array
}

/** A new key. */
export function newTestKey(kid: string): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { kid, privateKey, publicJwk: { ...publicKey.export({ format: 'jwk' }), kid } }
}

/** The key as a private JWK. */
export function privateJwk({ privateKey, kid }: TestKey): JsonWebKey & { readonly kid: string } {
  return { ...privateKey.export({ format: 'jwk' }), kid }
}

/** The claims of a token that holds for an hour and reads and writes the vault. */
export function claimsOf(vaultId: string, now = Date.now()): Record<string, unknown> {
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

/** A token: right for the vault, but for what the forgery says. */
export function forge(key: TestKey, vaultId: string, forgery: Forgery = {}): string {
  const { header = {}, claims = {}, signature = ecdsa } = forgery
  const whole = { alg: 'ES256', typ: 'JWT', kid: key.kid, ...header }
  const payload = forgery.payload ?? JSON.stringify({ ...claimsOf(vaultId), ...claims })
  const input = `${base64url(JSON.stringify(whole))}.${base64url(payload)}`
  return `${input}.${base64url(signature(input, key))}`
}

/** The signature that ES256 asks for: two numbers of 32 bytes (RFC 7518, section 3.4). */
export function ecdsa(input: string, { privateKey }: TestKey): Uint8Array {
  return sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
}

/** The same signature as other protocols write it. */
export function derSignature(input: string, { privateKey }: TestKey): Uint8Array {
  return sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'der' })
}

/** A code made with the public key as if it were a shared secret, in the ways it can be written. */
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

/** A signature by RS256 or another algorithm of the key's own kind. */
export function signedWith(
  hash: string | undefined,
  key: JsonWebKey,
): (input: string, own: TestKey) => Uint8Array {
  const privateKey = createPrivateKey({ key, format: 'jwk' })
  return (input) => sign(hash, Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' })
}

/** The bytes or the text in base64url without padding. */
export function base64url(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64url')
}
