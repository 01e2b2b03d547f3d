/** Reads records that a vault service wrote before its store was encrypted. */

import { readBlobIds, readIndexKey } from '../../base/read-stored.js'

/** Finds what must be kept when plaintext records are encrypted. */
export interface PlaintextReader {
  /** Returns the index key that the record was written with, or undefined if it had none. */
  indexKeyOf(collection: string, body: Uint8Array): string | undefined
  /** Returns the ids of the blobs that the record references. Empty if it references none. */
  blobIdsOf(collection: string, body: Uint8Array): readonly string[]
}

/**
 * The `plaintextReader` for records of a vault service (docs/what-is-stored.md). Both functions throw
 * a DecryptionError if a line is not JSON.
 */
export const plaintextRecords: PlaintextReader = {
  indexKeyOf: readIndexKey,
  blobIdsOf: readBlobIds,
}

const openingBrace = 0x7b

/**
 * Returns true if a body is a plaintext record: its first byte is `{`, the beginning of JSON
 * objects, with which no envelope begins.
 */
export function isPlaintext(body: Uint8Array): boolean {
  return body[0] === openingBrace
}
