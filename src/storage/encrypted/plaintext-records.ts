/** Parses records that a vault service wrote before its store was encrypted. */

import { undecryptableError } from '../../base/fixed-errors.js'
import { indexKeyOf } from '../../base/index-key.js'
import { safeGet } from '../../base/safe-get.js'
import { vaultCollection } from '../../store.js'
import {
  activityCollection,
  hasCredentials,
  hasItems,
  hasPendingBlobs,
  hasVersions,
} from './service-collections.js'

/** Finds what must be kept when plaintext records are encrypted. */
export interface PlaintextReader {
  /** Returns the index key that the record was written with, or undefined if it had none. */
  indexKeyOf(collection: string, body: Uint8Array): string | undefined
  /** Returns the ids of the blobs that the record references. Empty if it references none. */
  blobIdsOf(collection: string, body: Uint8Array): readonly string[]
}

/**
 * The `plaintextReader` for records of a vault service (docs/decisions/0002-record-format.md). The
 * record of a vault is JSON, and its index key is the start of the vault's name in folded case. The
 * record of an item, and of each older version of it, is two lines of JSON: a header, whose `blobs`
 * are the ids of its blobs, and the item. The index key of an item is the start of its title in
 * folded case, that of an activity entry the id of its vault, and that of a rejected credential its
 * status. Both functions throw a DecryptionError if a line is not JSON.
 */
export const plaintextRecords: PlaintextReader = {
  indexKeyOf(collection, body) {
    if (collection === vaultCollection) return toIndexKey(safeGet(parseLine(body, 0), 'name'))
    if (collection === activityCollection)
      return toIndexKey(safeGet(safeGet(safeGet(parseLine(body, 0), 'resource'), 'vault'), 'id'))
    if (hasCredentials(collection))
      return safeGet(parseLine(body, 0), 'status') === 'rejected' ? 'rejected' : undefined
    return hasItems(collection) ? toIndexKey(safeGet(parseLine(body, 1), 'title')) : undefined
  },
  blobIdsOf(collection, body) {
    if (!hasItems(collection) && !hasVersions(collection)) return []
    const blobs = safeGet(parseLine(body, 0), 'blobs')
    const ids: unknown[] = typeof blobs === 'object' && blobs !== null ? Object.values(blobs) : []
    return ids.filter((id) => typeof id === 'string')
  },
}

/**
 * Returns the ids of the blobs that a decrypted record references, including those that are about to
 * be added or removed. @throws DecryptionError if a line is not JSON.
 */
export function blobIdsIn(collection: string, body: Uint8Array): readonly string[] {
  if (!hasPendingBlobs(collection)) return plaintextRecords.blobIdsOf(collection, body)
  const ids = safeGet(parseLine(body, 0), 'blobIds')
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []
}

/** Discards the error of `JSON.parse`, because it quotes its input. */
function parseLine(body: Uint8Array, index: number): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body).split('\n')[index] ?? '')
  } catch {
    throw undecryptableError()
  }
}

/** Returns the index key of a string, or undefined for any other value. */
function toIndexKey(text: unknown): string | undefined {
  return typeof text === 'string' ? indexKeyOf(text) : undefined
}

const openingBrace = 0x7b

/**
 * Returns true if a body is a plaintext record: its first byte is `{`, the beginning of JSON
 * objects, with which no envelope begins.
 */
export function isPlaintext(body: Uint8Array): boolean {
  return body[0] === openingBrace
}
