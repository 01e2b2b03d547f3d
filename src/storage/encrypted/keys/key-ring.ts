/**
 * The keys of one scope as they are stored, wrapped: `{"format":1,"shifted":false,"keys":[{"id":1,"kekId":"local",
 * "wrapped":"base64"}],"mac":"base64"}`. Unwrapped, a key is 64 bytes: 32 to seal with, and the 32 of the scope's
 * label key, which are the same under every id.
 */

import { DecryptionError, StorageError } from '../../../errors.js'
import { safeGet } from '../../../safe-get.js'
import type { RecordKey, StoredRecord } from '../../../store.js'
import { isKekId } from '../providers/key-provider.js'

/** A data key that only its provider can open. */
export interface WrappedKey {
  /** 1 to 65,535. */
  readonly id: number
  /** What it was wrapped with. */
  readonly kekId: string
  /** In base64. */
  readonly wrapped: string
}

/** The keys of a scope, and what of them may be changed. */
export interface RingContent {
  /** Whether a record of the scope may be stored under a greater version than it was put as. */
  readonly shifted: boolean
  /** Ascending by id, one at least; the last is the current one. */
  readonly keys: readonly WrappedKey[]
}

/** A ring that was read. Nobody has to believe it before its code was verified. */
export interface KeyRing extends RingContent {
  /** The version that the ring's record has. */
  readonly version: number
  /** The code over everything else, in base64. */
  readonly mac: string
}

/** Bytes of a wrapped key: as many as AWS KMS takes as CiphertextBlob. */
export const maxWrappedLength = 6144
const maxBase64Length = 8192
/** Room for some 5,500 keys that were wrapped locally, or for some 2,500 of AWS KMS: a rotation a day for years. */
export const maxRingBytes = 1024 * 1024

/** The collection of the store beneath in which nothing lies but rings. */
export const ringCollection = 'keys'

/** Where a scope's ring lies. */
export function ringKey(scope: string): RecordKey {
  return { collection: ringCollection, id: scope }
}

/** The ring as a record. @throws StorageError if it has more than 1 MiB. */
export function encodeRing({ shifted, keys, mac }: Omit<KeyRing, 'version'>): {
  readonly body: Uint8Array
} {
  const entries = keys.map(({ id, kekId, wrapped }) => ({ id, kekId, wrapped }))
  const body = new TextEncoder().encode(JSON.stringify({ format: 1, shifted, keys: entries, mac }))
  if (body.length > maxRingBytes) throw new StorageError('the keys of the scope exceed 1 MiB')
  return { body }
}

/**
 * The ring that a record holds. Only the bytes that `encodeRing` makes are accepted, so that nothing is carried along
 * that the code does not cover.
 * @throws DecryptionError if the record holds no ring.
 */
export function decodeRing({ version, body }: StoredRecord): KeyRing {
  if (!Number.isSafeInteger(version) || body.length > maxRingBytes) throw new DecryptionError()
  const parsed = parse(body)
  const [shifted, keys, mac] = ['shifted', 'keys', 'mac'].map((name) => safeGet(parsed, name))
  if (typeof shifted !== 'boolean' || typeof mac !== 'string') throw new DecryptionError()
  if (!Array.isArray(keys) || !keys.every(isWrappedKey)) throw new DecryptionError()
  if (keys.length === 0 || keys.some(({ id }, index) => id <= (keys[index - 1]?.id ?? 0)))
    throw new DecryptionError()
  const ring = { version, shifted, keys, mac }
  if (!isSameBytes(encodeRing(ring).body, body)) throw new DecryptionError()
  return ring
}

/** Whether both are the same bytes. */
export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}

/** The key that new records are sealed with. */
export function currentKey({ keys }: Pick<KeyRing, 'keys'>): WrappedKey {
  const key = keys.at(-1)
  if (key === undefined) throw new DecryptionError()
  return key
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    throw new DecryptionError()
  }
}

function isWrappedKey(value: unknown): value is WrappedKey {
  const [id, wrapped] = [safeGet(value, 'id'), safeGet(value, 'wrapped')]
  return (
    Number.isInteger(id) &&
    Number(id) <= 65_535 &&
    isKekId(safeGet(value, 'kekId')) &&
    typeof wrapped === 'string' &&
    wrapped.length > 0 &&
    wrapped.length <= maxBase64Length
  )
}
