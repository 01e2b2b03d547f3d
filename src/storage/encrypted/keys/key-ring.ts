/**
 * The stored form of a scope's keys:
 * `{"format":1,"shifted":false,"next":false,"kekId":"key-1f2e3d4c","secret":"base64","keys":[{"id":1,"made":1767225600000}],"sealed":"base64","mac":"base64"}`.
 * The KEK wraps one secret for each ring, `secret`, which encrypts the bytes of all keys, `sealed`.
 * A ring without keys is what remains of an erased one. `next` is true if the last key is not yet
 * used to encrypt, as in a sealer's ring. A vault encrypts with the last key.
 */

import { areBytesEqual } from '../../../base/are-bytes-equal.js'
import { undecryptableError } from '../../../base/fixed-errors.js'
import { safeGet } from '../../../base/safe-get.js'
import { keyRingRecords, sealRingRecords } from '../../../base/stored-records.js'
import { DecryptionError, StorageError } from '../../../errors.js'
import type { RecordKey, StoredRecord } from '../../../store.js'
import { nonceLength, tagLength } from '../envelope/cipher.js'
import { isKekId, type KeyContext } from '../providers/key-provider.js'

/** A data key of a ring, without its bytes. */
export interface StoredKey {
  /** 1 to 65,535. */
  readonly id: number
  /**
   * When the key was made, by the clock of the process that made it: milliseconds since 1970, an
   * integer of 0 or more. It is only for people. No rule depends on it, because clocks can be
   * wrong.
   */
  readonly made: number
}

/** What a key ring is used for. A ring of one use is rejected where the other is expected. */
export interface RingUse {
  /** Who uses them, as in the message of its closed keys. */
  readonly owner: string
  /** The collection of its rings. */
  readonly collection: string
  /** The second field of what the MAC authenticates. */
  readonly label: string
  /** The purpose for which the KEK wraps its secret. */
  readonly purpose: KeyContext['purpose']
  /** True if the last key is not yet used to encrypt, so the key before it is the current one. */
  readonly hasNext: boolean
}

/** The rings of an encrypted store. */
export const vaultRings: RingUse = {
  owner: 'the encrypted store',
  collection: keyRingRecords.collection,
  label: 'ring',
  purpose: 'cofferkit key ring',
  hasNext: false,
}

/** The rings of a sealer. */
export const sealRings: RingUse = {
  owner: 'the sealer',
  collection: sealRingRecords.collection,
  label: 'seal ring',
  purpose: 'cofferkit seal ring',
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
  readonly keys: readonly StoredKey[]
  /** The id of the KEK that wraps the secret: 1 to 2,048 characters. Empty without keys. */
  readonly kekId: string
  /** The wrapped secret in base64, 1 to 8,192 characters. Empty without keys. */
  readonly secret: string
  /** The bytes of the keys, encrypted with the secret, in base64. Empty without keys. */
  readonly sealed: string
}

/** A decoded key ring. It is not authentic until its MAC is verified. */
export interface KeyRing extends RingContent {
  /** The version of the ring's record. */
  readonly version: number
  /** The MAC over everything else, in base64. */
  readonly mac: string
}

/** The maximum size of a wrapped secret in bytes, which is that of AWS KMS's CiphertextBlob. */
export const maxWrappedLength = 6144
const maxBase64Length = 8192
/**
 * The maximum size of a ring in bytes. That is enough for 13,817 keys under a local KEK, which is
 * one rotation a day for 37 years.
 */
export const maxRingBytes = 1024 * 1024

/** Bytes of a data key, of a blind-index key and of the secret of a ring. */
export const keyLength = 32

/** Returns the bytes of the keys of a ring: the blind-index key of the scope, then its data keys. */
export function materialLength(keyCount: number): number {
  return keyLength * (1 + keyCount)
}

/** Returns the bytes of `sealed`: a nonce, the encrypted keys and a tag. */
function sealedLength(keyCount: number): number {
  return keyCount === 0 ? 0 : nonceLength + materialLength(keyCount) + tagLength
}

/** Returns the key of the record that contains a scope's ring. */
export function toRingRecordKey(scope: string, { collection }: RingUse): RecordKey {
  return { collection, id: scope }
}

/** Returns a ring as a record. @throws StorageError (`STORAGE_FAILED`) if it exceeds 1 MiB. */
export function encodeRing({ use, hasReencryptions, ...ring }: Omit<KeyRing, 'version'>): {
  readonly body: Uint8Array
} {
  const { kekId, secret, sealed, mac } = ring
  const keys = ring.keys.map(({ id, made }) => ({ id, made }))
  const head = { format: 1, shifted: hasReencryptions, next: use.hasNext }
  const text = JSON.stringify({ ...head, kekId, secret, keys, sealed, mac })
  const body = new TextEncoder().encode(text)
  if (body.length > maxRingBytes) throw new StorageError('a key ring cannot be larger than 1 MiB')
  return { body }
}

/**
 * Decodes the ring in a record. Accepts only exactly the bytes that `encodeRing` returns, so that a
 * record contains nothing that the MAC does not cover.
 * @throws DecryptionError if the record is not a ring of this use.
 */
export function decodeRing({ version, body }: StoredRecord, use: RingUse): KeyRing {
  if (!Number.isSafeInteger(version) || body.length > maxRingBytes) throw undecryptableError()
  const parsed = parseJson(body)
  const [shifted, keys] = [safeGet(parsed, 'shifted'), safeGet(parsed, 'keys')]
  const [kekId, secret] = [textOf(parsed, 'kekId'), textOf(parsed, 'secret')]
  const [sealed, mac] = [textOf(parsed, 'sealed'), textOf(parsed, 'mac')]
  if (typeof shifted !== 'boolean' || !Array.isArray(keys)) throw undecryptableError()
  if (!keys.every(isStoredKey)) throw undecryptableError()
  if (keys.some(({ id }, index) => id <= (keys[index - 1]?.id ?? 0))) throw undecryptableError()
  if (use.hasNext && keys.length === 1) throw undecryptableError()
  const ring = { use, version, hasReencryptions: shifted, kekId, secret, keys, sealed, mac }
  if (!hasSealedKeys(ring)) throw undecryptableError()
  if (!areBytesEqual(encodeRing(ring).body, body)) throw undecryptableError()
  return ring
}

function hasSealedKeys({ kekId, secret, sealed, keys }: KeyRing): boolean {
  if (sealed.length !== 4 * Math.ceil(sealedLength(keys.length) / 3)) return false
  if (keys.length === 0) return kekId === '' && secret === ''
  return isKekId(kekId) && secret.length > 0 && secret.length <= maxBase64Length
}

/** Returns the ring in a record, or undefined if it is damaged. The ring is not verified. */
export function decodeUndamaged(record: StoredRecord, use: RingUse): KeyRing | undefined {
  try {
    return decodeRing(record, use)
  } catch (error) {
    if (error instanceof DecryptionError) return undefined
    throw error
  }
}

/** Returns true if the record is a ring without keys. The ring is not verified. */
export function isErased(record: StoredRecord, use: RingUse): boolean {
  return decodeUndamaged(record, use)?.keys.length === 0
}

/** The greatest id of a key. */
export const maxKeyId = 65_535

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
export function newestKey({ keys }: Pick<KeyRing, 'keys'>): StoredKey {
  const key = keys.at(-1)
  if (key === undefined) throw undecryptableError()
  return key
}

/** Returns the key that encrypts. @throws DecryptionError if `keys` is empty. */
export function currentKey({ use, keys }: Pick<KeyRing, 'use' | 'keys'>): StoredKey {
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

function isStoredKey(value: unknown): value is StoredKey {
  const id = safeGet(value, 'id')
  return Number.isInteger(id) && Number(id) <= maxKeyId && isTimeOfKey(safeGet(value, 'made'))
}

/** @throws DecryptionError if the member is not a string. */
function textOf(parsed: unknown, name: string): string {
  const value = safeGet(parsed, name)
  if (typeof value !== 'string') throw undecryptableError()
  return value
}
