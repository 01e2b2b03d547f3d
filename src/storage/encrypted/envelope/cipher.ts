/**
 * XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), in JavaScript or, for large contents, by the
 * runtime if it supports it. Both return the same bytes.
 */

import { hchacha, xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { undecryptableError } from '../../../base/fixed-errors.js'

/** Bytes of a nonce. */
export const nonceLength = 24
/** Bytes by which a ciphertext is longer than its plaintext. */
export const tagLength = 16

/**
 * From this size in bytes on, the runtime's cipher is used. For less, creating one takes longer
 * than encrypting in JavaScript.
 */
export const minNativeLength = 4096

/** Arguments of a cipher: a key of 32 bytes, a nonce of 24 and the additional data. */
type Parameters = readonly [key: Uint8Array, nonce: Uint8Array, additionalData: Uint8Array]

/** `decrypt` throws an error of any kind if the input is not authentic. */
export interface Cipher {
  encrypt(parameters: Parameters, plaintext: Uint8Array, output: Uint8Array): void
  decrypt(parameters: Parameters, ciphertext: Uint8Array): Uint8Array
}

/**
 * Encrypts. Returns the ciphertext followed by the tag, in `output` if it is passed.
 * @param nonce 24 bytes. Never use a nonce twice with one key.
 */
export function encrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  additionalData: Uint8Array,
  plaintext: Uint8Array,
  output = new Uint8Array(plaintext.length + tagLength),
): Uint8Array {
  cipherFor(plaintext).encrypt([key, nonce, additionalData], plaintext, output)
  return output
}

/**
 * Decrypts the result of `encrypt`, and returns new bytes.
 * @throws DecryptionError if the key, the nonce, the additional data or any byte is different.
 */
export function decrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  additionalData: Uint8Array,
  ciphertext: Uint8Array,
): Uint8Array {
  try {
    return cipherFor(ciphertext).decrypt([key, nonce, additionalData], ciphertext)
  } catch {
    throw undecryptableError()
  }
}

/** In JavaScript, for every runtime. */
export const portableCipher: Cipher = {
  encrypt: (parameters, plaintext, output) =>
    void xchacha20poly1305(...parameters).encrypt(plaintext, output),
  decrypt: (parameters, ciphertext) => xchacha20poly1305(...parameters).decrypt(ciphertext),
}

/** The runtime's cipher. Null if it has none, undefined before the first large content. */
let nativeCipher: Cipher | null | undefined

function cipherFor({ length }: Uint8Array): Cipher {
  if (length < minNativeLength) return portableCipher
  if (nativeCipher === undefined) nativeCipher = loadNativeCipher() ?? null
  return nativeCipher ?? portableCipher
}

/**
 * Returns undefined if the runtime has no such cipher, or one that returns other bytes.
 * @param platform The runtime's `process`. `node:crypto` is not imported, because not every runtime
 * of the store has it.
 */
export function loadNativeCipher(
  platform: Platform | undefined = Reflect.get(globalThis, 'process'),
): Cipher | undefined {
  const crypto = platform?.getBuiltinModule?.('node:crypto')
  if (crypto === undefined) return undefined
  const cipher = createNativeCipher(crypto)
  const bytes = Uint8Array.from({ length: 100 }, (_, index) => index)
  const parameters = [bytes.slice(0, 32), bytes.slice(32, 56), bytes.slice(56, 76)] as const
  const ciphertext = new Uint8Array(bytes.length + tagLength)
  try {
    cipher.encrypt(parameters, bytes, ciphertext)
    const isReadable = areBytesEqual(portableCipher.decrypt(parameters, ciphertext), bytes)
    return isReadable && areBytesEqual(cipher.decrypt(parameters, ciphertext), bytes)
      ? cipher
      : undefined
  } catch {
    return undefined
  }
}

/** The parts of `process` used here. */
export interface Platform {
  getBuiltinModule?(id: 'node:crypto'): CryptoModule | undefined
}

interface CryptoModule {
  createCipheriv: (...args: NativeArguments) => NativeCipher
  createDecipheriv: (...args: NativeArguments) => NativeDecipher
}

type NativeArguments = [
  name: typeof algorithm,
  key: Uint8Array,
  nonce: Uint8Array,
  options: { readonly authTagLength: number },
]

interface NativeTransform {
  setAAD(additionalData: Uint8Array, options: { readonly plaintextLength: number }): unknown
  update(bytes: Uint8Array): Uint8Array
  /** Throws if the tag does not belong to the ciphertext. */
  final(): unknown
}

interface NativeCipher extends NativeTransform {
  getAuthTag(): Uint8Array
}

interface NativeDecipher extends NativeTransform {
  setAuthTag(tag: Uint8Array): unknown
}

const algorithm = 'chacha20-poly1305'
const options = { authTagLength: tagLength }

/**
 * XChaCha20-Poly1305 is ChaCha20-Poly1305 (RFC 8439) with a key derived from the first 16 bytes of
 * the nonce. The last 8 are its nonce, after 4 zeros.
 */
function createNativeCipher({ createCipheriv, createDecipheriv }: CryptoModule): Cipher {
  return {
    encrypt([key, nonce, additionalData], plaintext, output) {
      const cipher = createCipheriv(algorithm, deriveKey(key, nonce), shorten(nonce), options)
      cipher.setAAD(additionalData, { plaintextLength: plaintext.length })
      output.set(cipher.update(plaintext))
      cipher.final()
      output.set(cipher.getAuthTag(), plaintext.length)
    },
    decrypt([key, nonce, additionalData], ciphertext) {
      const cipher = createDecipheriv(algorithm, deriveKey(key, nonce), shorten(nonce), options)
      const end = ciphertext.length - tagLength
      cipher.setAAD(additionalData, { plaintextLength: end })
      cipher.setAuthTag(ciphertext.subarray(end))
      const plaintext = new Uint8Array(cipher.update(ciphertext.subarray(0, end)))
      cipher.final()
      return plaintext
    },
  }
}

/** The constants of ChaCha20, `expand 32-byte k`, as words. */
const sigma = toWords(new TextEncoder().encode('expand 32-byte k'))

function deriveKey(key: Uint8Array, nonce: Uint8Array): Uint8Array {
  const derived = new Uint32Array(8)
  hchacha(sigma, toWords(key), toWords(nonce.subarray(0, 16)), derived)
  return new Uint8Array(derived.buffer)
}

function shorten(nonce: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12)
  bytes.set(nonce.subarray(16), 4)
  return bytes
}

/** Returns the bytes as words in the byte order of this machine, which `hchacha` expects. */
function toWords(bytes: Uint8Array): Uint32Array {
  return new Uint32Array(new Uint8Array(bytes).buffer)
}
