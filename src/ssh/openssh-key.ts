/** Formats Ed25519 keys as OpenSSH does (PROTOCOL.key of OpenSSH; RFC 8709). */

import { toBase64 } from '../base/base64.js'
import { concatBytes } from '../base/concat-bytes.js'

/** A key pair in the formats of OpenSSH. */
export interface SshKeyPair {
  /** A file in OpenSSH's format, not encrypted, that ends with a line break. */
  readonly privateKey: string
  /** One line, as in `authorized_keys`: type, key and, unless it is empty, comment. */
  readonly publicKey: string
  /** `SHA256:` and the digest of the public key in base64 without padding. */
  readonly fingerprint: string
}

/** The parts of an Ed25519 key pair. */
export interface KeyParts {
  /** 32 bytes. */
  readonly seed: Uint8Array
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** 4 random bytes, which the private key contains twice. */
  readonly checkBytes: Uint8Array
  readonly comment: string
}

const keyType = 'ssh-ed25519'
/** The block size of an unencrypted private key. */
const blockBytes = 8

/** Formats a key pair. */
export async function formatKeyPair(parts: KeyParts): Promise<SshKeyPair> {
  const { seed, publicKey, checkBytes, comment } = parts
  const blob = concatBytes([string(keyType), string(publicKey)])
  const secret = concatBytes([
    ...[checkBytes, checkBytes, blob],
    ...[string(concatBytes([seed, publicKey])), string(comment)],
  ])
  const padding = Array.from({ length: -secret.length & (blockBytes - 1) }, (_, index) => index + 1)
  const file = concatBytes([
    utf8('openssh-key-v1\0'),
    // No cipher, no key derivation function, and no options for it.
    ...[string('none'), string('none'), string('')],
    ...[uint32(1), string(blob), string(concatBytes([secret, Uint8Array.from(padding)]))],
  ])
  const lines = toBase64(file).match(/.{1,70}/g) ?? []
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', blob))
  return {
    privateKey: [
      '-----BEGIN OPENSSH PRIVATE KEY-----',
      ...lines,
      '-----END OPENSSH PRIVATE KEY-----\n',
    ].join('\n'),
    publicKey: `${keyType} ${toBase64(blob)} ${comment}`.trimEnd(),
    fingerprint: `SHA256:${toBase64(digest).replaceAll('=', '')}`,
  }
}

/** Returns the bytes preceded by their length (RFC 4251, section 5). */
function string(content: Uint8Array | string): Uint8Array {
  const bytes = typeof content === 'string' ? utf8(content) : content
  return concatBytes([uint32(bytes.length), bytes])
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
