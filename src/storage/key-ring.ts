/**
 * The keys of one scope as they are stored, wrapped: `{"format":1,"shifted":false,"keys":[{"id":1,"kekId":"local",
 * "wrapped":"base64"}]}`. Unwrapped, a key is 64 bytes: 32 to seal with, and the 32 of the scope's label key, which
 * are the same under every id.
 */

import { DecryptionError, memberOf } from '../errors.js'
import type { RecordKey, StoredRecord } from '../store.js'

/** A data key that only its provider can open. */
export interface WrappedKey {
  /** 1 to 65,535. */
  readonly id: number
  /** What it was wrapped with. */
  readonly kekId: string
  /** In base64. */
  readonly wrapped: string
}

/** The keys of a scope. */
export interface KeyRing {
  /** The version that the ring's record has. */
  readonly version: number
  /** Whether a record of the scope may be stored under a greater version than it was put as. */
  readonly shifted: boolean
  /** Ascending by id, one at least; the last is the current one. */
  readonly keys: readonly WrappedKey[]
}

/** The collection of the store beneath in which nothing lies but rings. */
export const ringCollection = 'keys'

/** Where a scope's ring lies. */
export function ringKey(scope: string): RecordKey {
  return { collection: ringCollection, id: scope }
}

/** The ring as a record. */
export function encodeRing({ shifted, keys }: Omit<KeyRing, 'version'>): { body: Uint8Array } {
  return { body: new TextEncoder().encode(JSON.stringify({ format: 1, shifted, keys })) }
}

/** The ring that a record holds. @throws DecryptionError if it holds none. */
export function decodeRing({ version, body }: StoredRecord): KeyRing {
  const ring = parse(body)
  const keys = memberOf(ring, 'keys')
  if (memberOf(ring, 'format') !== 1 || !Array.isArray(keys) || !keys.every(isWrappedKey))
    throw new DecryptionError()
  if (keys.length === 0 || keys.some(({ id }, index) => id <= (keys[index - 1]?.id ?? 0)))
    throw new DecryptionError()
  return { version, shifted: memberOf(ring, 'shifted') === true, keys }
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
  const id = memberOf(value, 'id')
  return (
    Number.isInteger(id) &&
    Number(id) <= 65_535 &&
    typeof memberOf(value, 'kekId') === 'string' &&
    typeof memberOf(value, 'wrapped') === 'string'
  )
}
