/**
 * The envelope that a record is sealed in: a header in the clear, a nonce, the ciphertext and its tag.
 *
 * | bytes | hold |
 * | --- | --- |
 * | 1 | the format, 1 |
 * | 1 | 1 if there is a label, else 0 |
 * | 2 | the id of the data key |
 * | 4 | the shift: how many of the stored versions were rewraps |
 * | 16 or 0 | the label, as it is stored beside the record |
 * | 24 | the nonce |
 * | the rest | ciphertext, and 16 bytes of tag |
 *
 * Numbers have their highest byte first. The additional data is the length-prefixed list of format, `record`,
 * collection, id, stored version, key id, shift and label (empty if none): it is built anew from the row that is read.
 */

import { xchacha20poly1305 } from '@noble/ciphers/chacha.js'
import { DecryptionError } from '../../../errors.js'
import type { RecordKey } from '../../../store.js'
import { encodeFields } from './encoding.js'

/** The format that is written, and the only one that is read. */
export const envelopeFormat = 1
/** Bytes of a nonce. */
export const nonceLength = 24
/** Bytes by which a ciphertext is longer than what it hides. */
export const tagLength = 16
/** Bytes of a label. */
export const labelLength = 16

/** The greatest shift that an envelope has room for. */
export const maxShift = 2 ** 32 - 1

const fixedLength = 8
/** Bytes by which an envelope is longer than its body, at most: without a label it is 16 fewer. */
export const envelopeLength = fixedLength + labelLength + nonceLength + tagLength
/** Randomness is fetched for many nonces at once: each fetch costs more than a nonce's share of the cipher. */
const poolLength = 4096
let pool = new Uint8Array(0)

/** A key to seal with. */
export interface DataKey {
  /** 1 to 65,535, unique in its scope. */
  readonly id: number
  /** 32 bytes. */
  readonly bytes: Uint8Array
}

/** Where a record lies in the store beneath, and as which version. */
export interface RecordLocation extends RecordKey {
  readonly version: number
}

/** What an envelope says in the clear. */
export interface EnvelopeHeader {
  readonly keyId: number
  /** The stored version is by so much greater than the version that was put; 0 to 4,294,967,295. */
  readonly shift: number
  /** 16 bytes, or none. */
  readonly label: Uint8Array
}

/** Bytes sealed with XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): the ciphertext, then the tag. */
export function encrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  additionalData: Uint8Array,
  plaintext: Uint8Array,
  output?: Uint8Array,
): Uint8Array {
  return xchacha20poly1305(key, nonce, additionalData).encrypt(plaintext, output)
}

/** What `encrypt` has sealed, as new bytes. @throws DecryptionError if anything is not as it was. */
export function decrypt(
  key: Uint8Array,
  nonce: Uint8Array,
  additionalData: Uint8Array,
  ciphertext: Uint8Array,
): Uint8Array {
  try {
    return xchacha20poly1305(key, nonce, additionalData).decrypt(ciphertext)
  } catch {
    throw new DecryptionError()
  }
}

/** Random bytes of cryptographic quality, handed out once. */
export function randomBytes(length: number): Uint8Array {
  if (pool.length < length) pool = crypto.getRandomValues(new Uint8Array(poolLength))
  const bytes = pool.slice(0, length)
  pool.fill(0, 0, length)
  pool = pool.subarray(length)
  return bytes
}

/**
 * The envelope of a body that is about to be stored as `row`. A nonce must never be used twice with one key.
 * @throws RangeError if the shift is greater than 4,294,967,295.
 */
export function sealRecord(
  row: RecordLocation,
  key: DataKey,
  { body, label: indexKey, shift }: { body: Uint8Array; label: Uint8Array; shift: number },
  nonce: Uint8Array = randomBytes(nonceLength),
): Uint8Array {
  if (shift > maxShift) throw new RangeError('a shift is at most 4,294,967,295')
  const start = fixedLength + indexKey.length + nonceLength
  const envelope = new Uint8Array(start + body.length + tagLength)
  const view = new DataView(envelope.buffer)
  envelope[0] = envelopeFormat
  envelope[1] = indexKey.length === 0 ? 0 : 1
  view.setUint16(2, key.id)
  view.setUint32(4, shift)
  envelope.set(indexKey, fixedLength)
  envelope.set(nonce, start - nonceLength)
  const additional = additionalData(row, { keyId: key.id, shift, label: indexKey })
  encrypt(key.bytes, nonce, additional, body, envelope.subarray(start))
  return envelope
}

/** The body of an envelope that is stored as `row`, as new bytes. @throws DecryptionError if it does not belong there. */
export function openRecord(
  row: RecordLocation,
  key: DataKey,
  envelope: Uint8Array,
  header: EnvelopeHeader,
): Uint8Array {
  const start = fixedLength + header.label.length + nonceLength
  const nonce = envelope.subarray(start - nonceLength, start)
  const additional = additionalData(row, header)
  return decrypt(key.bytes, nonce, additional, envelope.subarray(start))
}

/** What stands in the clear, believed by nobody before the envelope is opened; undefined if it is none. */
export function headerOf(envelope: Uint8Array): EnvelopeHeader | undefined {
  const flag = envelope[1]
  if (envelope[0] !== envelopeFormat || (flag !== 0 && flag !== 1)) return undefined
  const end = fixedLength + flag * labelLength
  if (envelope.length < end + nonceLength + tagLength) return undefined
  const view = new DataView(envelope.buffer, envelope.byteOffset, fixedLength)
  const indexKey = envelope.subarray(fixedLength, end)
  return { keyId: view.getUint16(2), shift: view.getUint32(4), label: indexKey }
}

function additionalData(
  row: RecordLocation,
  { keyId, shift, label: indexKey }: EnvelopeHeader,
): Uint8Array {
  const { collection, id, version } = row
  return encodeFields([envelopeFormat, 'record', collection, id, version, keyId, shift, indexKey])
}
