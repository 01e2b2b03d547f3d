/**
 * The stored form of a scope's keys:
 * `{"format":1,"shifted":false,"next":false,"keys":[{"id":1, "made":1767225600000,"kekId":"local","wrapped":"base64"}],"mac":"base64"}`.
 * An unwrapped key has 64 bytes: 32 for the data key, and 32 for the scope's blind-index key, which
 * is the same under every id. A ring without keys is what remains of an erased one. `next` is true
 * if the last key is not yet used to encrypt, as in a sealer's ring. A vault encrypts with the last
 * key.
 */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { safeGet } from '../../../base/safe-get.js'
import { keyRingRecords, sealRingRecords } from '../../../base/stored-records.js'
import { StorageError } from '../../../errors.js'
import type { RecordKey, StoredRecord } from '../../../store.js'
import { isKekId } from '../providers/key-provider.js'

/** A data key that only the key provider can unwrap. */
export interface WrappedKey {
  /** 1 to 65,535. */
  readonly id: number
  /**
   * When the key was made, by the clock of the process that made it: milliseconds since 1970, an
   * integer of 0 or more. It is only for people. No rule depends on it, because clocks can be
   * wrong.
   */
  readonly made: number
  /** The name of the KEK that it was wrapped with: 1 to 2,048 characters. */
  readonly kekId: string
  /** In base64, 1 to 8,192 characters. */
  readonly wrapped: string
}

/** What a key ring is used for. A ring of one use is rejected where the other is expected. */
export interface RingUse {
  /** The collection of its rings. */
  readonly collection: string
  /** The second field of what the MAC authenticates. */
  readonly label: string
  /** True if the last key is not yet used to encrypt, so the key before it is the current one. */
  readonly hasNext: boolean
}

/** The rings of an encrypted store. */
export const vaultRings: RingUse = {
  collection: keyRingRecords.collection,
  label: 'ring',
  hasNext: false,
}
/** The rings of a sealer. */
export const sealRings: RingUse = {
  collection: sealRingRecords.collection,
  label: 'seal ring',
  hasNext: true,
}

/** The part of a key ring that is authenticated. */
export interface RingContent {
  readonly use: RingUse
  /** True if records of the scope may have a re-encryption count above 0. Stored as `shifted`. */
  readonly hasReencryptions: boolean
  /**
   * In ascending order of ids. Empty if the keys were erased. Two or more if the last key is not
   * yet used.
   */
  readonly keys: readonly WrappedKey[]
}

/** A decoded key ring. It is not authentic until its MAC is verified. */
export interface KeyRing extends RingContent {
  /** The version of the ring's record. */
  readonly version: number
  /** The MAC over everything else, in base64. */
  readonly mac: string
}

/** The maximum size of a wrapped key in bytes, which is that of AWS KMS's CiphertextBlob. */
export const maxWrappedLength = 6144
const maxBase64Length = 8192
/**
 * The maximum size of a ring in bytes. That is enough for 5,195 keys wrapped by the local KEK
 * `local`, or about 2,400 by AWS KMS, which is one rotation a day for years.
 */
export const maxRingBytes = 1024 * 1024

/** Returns the key of the record that contains a scope's ring. */
export function toRingRecordKey(scope: string, { collection } = vaultRings): RecordKey {
  return { collection, id: scope }
}

/** Returns a ring as a record. @throws StorageError (`STORAGE_FAILED`) if it exceeds 1 MiB. */
export function encodeRing({ use, hasReencryptions, keys, mac }: Omit<KeyRing, 'version'>): {
  readonly body: Uint8Array
} {
  const entries = keys.map(({ id, made, kekId, wrapped }) => ({ id, made, kekId, wrapped }))
  const ring = { format: 1, shifted: hasReencryptions, next: use.hasNext, keys: entries, mac }
  const body = new TextEncoder().encode(JSON.stringify(ring))
  if (body.length > maxRingBytes) throw new StorageError('a key ring cannot be larger than 1 MiB')
  return { body }
}

/**
 * Decodes the ring in a record. Accepts only exactly the bytes that `encodeRing` returns, so that a
 * record contains nothing that the MAC does not cover.
 * @throws DecryptionError if the record is not a ring of this use.
 */
export function decodeRing({ version, body }: StoredRecord, use = vaultRings): KeyRing {
  if (!Number.isSafeInteger(version) || body.length > maxRingBytes) throw undecryptableError()
  const parsed = parseJson(body)
  const [shifted, keys, mac] = ['shifted', 'keys', 'mac'].map((name) => safeGet(parsed, name))
  if (typeof shifted !== 'boolean' || typeof mac !== 'string') throw undecryptableError()
  if (!Array.isArray(keys) || !keys.every(isWrappedKey)) throw undecryptableError()
  if (keys.some(({ id }, index) => id <= (keys[index - 1]?.id ?? 0))) throw undecryptableError()
  if (use.hasNext && keys.length === 1) throw undecryptableError()
  const ring = { use, version, hasReencryptions: shifted, keys, mac }
  if (!areBytesEqual(encodeRing(ring).body, body)) throw undecryptableError()
  return ring
}

/** Returns true if the record is a ring without keys. The ring is not verified. */
export function isErased(record: StoredRecord, use = vaultRings): boolean {
  try {
    return decodeRing(record, use).keys.length === 0
  } catch {
    return false
  }
}

/** Names the keys of a scope in a message. In an encrypted store, most scopes are vaults. */
export function nameKeys({ collection }: RingUse, scope: string): string {
  const isVault = collection === keyRingRecords.collection && /^[\da-z]{26}$/.test(scope)
  return `the encryption keys of ${isVault ? 'vault ' : ''}${scope}`
}

/** Creates the error for a scope whose keys were erased. Its id cannot be used again. */
export function erasedKeysError(use: RingUse, scope: string): StorageError {
  return new StorageError(`${nameKeys(use, scope)} were erased: its id cannot be used again`)
}

/** Creates the error for a scope whose ring has disappeared. */
export function missingKeysError(use: RingUse, scope: string): StorageError {
  const keys = nameKeys(use, scope)
  return new StorageError(`${keys} are missing from the store: restore them from a backup`)
}

/** Returns the key that was added last. @throws DecryptionError if `keys` is empty. */
export function newestKey({ keys }: Pick<KeyRing, 'keys'>): WrappedKey {
  const key = keys.at(-1)
  if (key === undefined) throw undecryptableError()
  return key
}

/** Returns the key that encrypts. @throws DecryptionError if `keys` is empty. */
export function currentKey({ use, keys }: Pick<KeyRing, 'use' | 'keys'>): WrappedKey {
  return newestKey({ keys: use.hasNext ? keys.slice(0, -1) : keys })
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw undecryptableError()
  }
}

/** Returns true if a value can be the `made` of a key. */
export function isTimeOfKey(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isWrappedKey(value: unknown): value is WrappedKey {
  const [id, wrapped] = [safeGet(value, 'id'), safeGet(value, 'wrapped')]
  return (
    Number.isInteger(id) &&
    Number(id) <= 65_535 &&
    isTimeOfKey(safeGet(value, 'made')) &&
    isKekId(safeGet(value, 'kekId')) &&
    typeof wrapped === 'string' &&
    wrapped.length > 0 &&
    wrapped.length <= maxBase64Length
  )
}
