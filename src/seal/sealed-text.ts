/**
 * The form of a sealed value: `coffer1.<id of the data key>.<base64url of nonce, ciphertext, tag>`.
 * A sealed value has only one spelling, because a second one would break `WHERE secret = $old`.
 */

import { fromBase64Url, toBase64Url } from '../base/base64.js'
import { DecryptionError } from '../errors.js'
import { decrypt, encrypt, nonceLength, tagLength } from '../storage/encrypted/envelope/cipher.js'
import { encodeFields } from '../storage/encrypted/envelope/encoding.js'
import { type DataKey, randomBytes } from '../storage/encrypted/envelope/record-envelope.js'

declare const brand: unique symbol

/** A sealed value: an ASCII string for a column. The type distinguishes it from a plain value. */
export type Sealed = string & { readonly [brand]: true }

/** Everything that a sealed value is bound to, besides its key. */
export interface SealContext {
  readonly scope: string
  /** The place as strings: a table, a column and the parts of a row's id. */
  readonly parts: readonly string[]
}

/** A parsed sealed value. It is not known to be authentic until it is decrypted. */
interface ParsedText {
  readonly keyId: number
  /** Nonce, ciphertext and tag. */
  readonly bytes: Uint8Array
}

const start = 'coffer1.'
const format = 1
const maxKeyId = 65_535
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Returns true if the string is a sealed value, even a damaged one. */
export function isSealed(text: string): text is Sealed {
  return text.startsWith(start)
}

/** Returns the id of the key of a sealed value, or undefined if the string has another form. */
export function keyIdOf(text: string): number | undefined {
  const id = Number(/^coffer1\.([1-9]\d{0,4})\./.exec(text)?.[1])
  return id <= maxKeyId ? id : undefined
}

/** Returns the parts of a sealed value, or undefined if the string has another form. */
export function parseSealed(text: string): ParsedText | undefined {
  const keyId = keyIdOf(text)
  if (keyId === undefined) return undefined
  const bytes = fromBase64Url(text.slice(start.length + `${keyId}.`.length))
  const isComplete = bytes !== undefined && bytes.length >= nonceLength + tagLength
  return isComplete ? { keyId, bytes } : undefined
}

/** Seals a value with a random nonce. */
export function sealText(key: DataKey, context: SealContext, value: string): Sealed {
  const nonce = randomBytes(nonceLength)
  const plaintext = encoder.encode(value)
  const bytes = new Uint8Array(nonceLength + plaintext.length + tagLength)
  bytes.set(nonce)
  encrypt(key.bytes, nonce, additionalData(key, context), plaintext, bytes.subarray(nonceLength))
  return `${start}${key.id}.${toBase64Url(bytes)}` as Sealed
}

/** Opens a value. @throws DecryptionError if it was not sealed with this key in this context. */
export function openText(key: DataKey, context: SealContext, { bytes }: ParsedText): string {
  const nonce = bytes.subarray(0, nonceLength)
  const ciphertext = bytes.subarray(nonceLength)
  try {
    return decoder.decode(decrypt(key.bytes, nonce, additionalData(key, context), ciphertext))
  } catch {
    const [table, column] = context.parts
    throw new DecryptionError(
      `the value of ${table}.${column} is damaged, or was sealed for another row, place or scope`,
    )
  }
}

function additionalData({ id }: DataKey, { scope, parts }: SealContext): Uint8Array {
  return encodeFields([format, 'text', scope, id, ...parts])
}
