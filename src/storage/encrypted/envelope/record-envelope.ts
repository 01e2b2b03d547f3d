/**
 * The envelope of an encrypted record: a header in plaintext, a nonce, the ciphertext and its tag.
 *
 * | bytes | content |
 * | --- | --- |
 * | 1 | the format, 1 |
 * | 1 | 1 if there is a blind index, else 0 |
 * | 2 | the id of the data key |
 * | 4 | the re-encryption count: how many of the stored versions were written by `reencrypt` |
 * | 16 or 0 | the blind index, which is also the index key of the inner record |
 * | 24 | the nonce |
 * | the rest | ciphertext, and 16 bytes of tag |
 *
 * Numbers are big-endian. The additional data is the encoded fields format, `record`, collection,
 * id, stored version, key id, re-encryption count and blind index (empty if absent). It is rebuilt
 * from the record that is read.
 */

import { envelopeFormat, type RecordKey } from '../../../store.js'
import { decrypt, encrypt, nonceLength, tagLength } from './cipher.js'
import { encodeFields } from './encoding.js'

/** Bytes of a blind index. */
export const blindIndexLength = 16

/** The maximum of a re-encryption count, which has 4 bytes. */
export const maxReencryptionCount = 2 ** 32 - 1

const fixedLength = 8
/**
 * How many bytes longer than its body an envelope is, at most. Without a blind index, it is 16
 * fewer.
 */
export const envelopeLength = fixedLength + blindIndexLength + nonceLength + tagLength

/** How many random bytes are generated at once, for many nonces, because each call is expensive. */
const poolLength = 4096
let pool = new Uint8Array(0)

/** A key for encryption. */
export interface DataKey {
  /** 1 to 65,535, unique in its scope. */
  readonly id: number
  /** 32 bytes. */
  readonly bytes: Uint8Array
}

/** The key of a record in the inner store, and its version there. */
export interface RecordLocation extends RecordKey {
  readonly version: number
}

/** The plaintext part of an envelope. */
export interface EnvelopeHeader {
  readonly keyId: number
  /** The version in the inner store minus the caller's version, 0 to 4,294,967,295. */
  readonly reencryptionCount: number
  /** 16 bytes, or empty. */
  readonly blindIndex: Uint8Array
}

/** The content of an envelope that is about to be written. */
export interface EnvelopeContent extends Omit<EnvelopeHeader, 'keyId'> {
  readonly body: Uint8Array
}

/** Returns at most 4,096 random bytes of cryptographic quality. None is returned twice. */
export function randomBytes(length: number): Uint8Array {
  if (pool.length < length) pool = crypto.getRandomValues(new Uint8Array(poolLength))
  const bytes = pool.slice(0, length)
  pool.fill(0, 0, length)
  pool = pool.subarray(length)
  return bytes
}

/**
 * Returns the envelope of a record that is about to be stored at `location`.
 * @param nonce Never use a nonce twice with one key. Default: random.
 * @throws RangeError if the re-encryption count is greater than 4,294,967,295.
 */
export function encryptEnvelope(
  location: RecordLocation,
  key: DataKey,
  { body, blindIndex, reencryptionCount }: EnvelopeContent,
  nonce: Uint8Array = randomBytes(nonceLength),
): Uint8Array {
  if (reencryptionCount > maxReencryptionCount)
    throw new RangeError('the re-encryption count must be at most 4,294,967,295')
  const start = fixedLength + blindIndex.length + nonceLength
  const envelope = new Uint8Array(start + body.length + tagLength)
  const view = new DataView(envelope.buffer)
  envelope[0] = envelopeFormat
  envelope[1] = blindIndex.length === 0 ? 0 : 1
  view.setUint16(2, key.id)
  view.setUint32(4, reencryptionCount)
  envelope.set(blindIndex, fixedLength)
  envelope.set(nonce, start - nonceLength)
  const additional = additionalData(location, { keyId: key.id, reencryptionCount, blindIndex })
  encrypt(key.bytes, nonce, additional, body, envelope.subarray(start))
  return envelope
}

/**
 * Returns the body of an envelope that is stored at `location`, as new bytes.
 * @throws DecryptionError if the envelope was not written for this location with this key.
 */
export function decryptEnvelope(
  location: RecordLocation,
  key: DataKey,
  envelope: Uint8Array,
  header: EnvelopeHeader,
): Uint8Array {
  const start = fixedLength + header.blindIndex.length + nonceLength
  const nonce = envelope.subarray(start - nonceLength, start)
  const additional = additionalData(location, header)
  return decrypt(key.bytes, nonce, additional, envelope.subarray(start))
}

/**
 * Returns the header of an envelope, or undefined if the bytes are not an envelope. The header is
 * not known to be authentic until the envelope is decrypted.
 */
export function parseHeader(envelope: Uint8Array): EnvelopeHeader | undefined {
  const flag = envelope[1]
  if (envelope[0] !== envelopeFormat || (flag !== 0 && flag !== 1)) return undefined
  const end = fixedLength + flag * blindIndexLength
  if (envelope.length < end + nonceLength + tagLength) return undefined
  const view = new DataView(envelope.buffer, envelope.byteOffset, fixedLength)
  const blindIndex = envelope.subarray(fixedLength, end)
  return { keyId: view.getUint16(2), reencryptionCount: view.getUint32(4), blindIndex }
}

function additionalData(
  { collection, id, version }: RecordLocation,
  { keyId, reencryptionCount, blindIndex }: EnvelopeHeader,
): Uint8Array {
  return encodeFields([
    envelopeFormat,
    'record',
    collection,
    id,
    version,
    keyId,
    reencryptionCount,
    blindIndex,
  ])
}
