/** Reads what a store must know of a plaintext record: its index key, and the blobs that it names. */

import { undecryptableError } from './fixed-errors.js'
import { kindOfCollection } from './stored-records.js'

/**
 * Returns the index key that the record was written with, or undefined if it has none.
 * @throws DecryptionError if the line with the key is not JSON.
 */
export function readIndexKey(collection: string, body: Uint8Array): string | undefined {
  const kind = kindOfCollection(collection)
  return kind?.indexKeyOf?.(parseLine(body, kind.lines - 1))
}

/**
 * Returns the ids of the blobs that the record names. Empty if it names none.
 * @throws DecryptionError if the first line is not JSON.
 */
export function readBlobIds(collection: string, body: Uint8Array): readonly string[] {
  return kindOfCollection(collection)?.blobIdsOf?.(parseLine(body, 0)) ?? []
}

/** Discards the error of `JSON.parse`, because it quotes its input. */
function parseLine(body: Uint8Array, index: number): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body).split('\n')[index] ?? '')
  } catch {
    throw undecryptableError()
  }
}
