/** Converts keys to bytes and back. Bytes are compared as they are, whatever the collation is. */

import { Buffer } from 'node:buffer'
import { StorageError } from '../../errors.js'
import { safeGet } from '../../safe-get.js'
import { getBytes } from '../sql/row.js'

/** Bytes of the columns for ids. An id of a blob is a vault's id and 27 characters. */
export const maxIdBytes = 255
/** Bytes of the column for index keys: 128 characters of UTF-8. */
export const maxIndexKeyBytes = 512

/**
 * Returns the bytes of a collection or id. The server's `sql_mode` decides whether a longer value
 * would be rejected or cut.
 * @throws StorageError (`STORAGE_FAILED`) if they are too many for the column.
 */
export function toId(id: string): Buffer {
  return toKey(id, maxIdBytes)
}

/** Like {@link toId}, for an index key. Null if the record has none. */
export function toIndexKey(indexKey: string | undefined): Buffer | null {
  return indexKey === undefined ? null : toKey(indexKey, maxIndexKeyBytes)
}

/** Returns the same bytes as a Buffer: the drivers take any other array for an object. */
export function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Returns the text of a binary column. @throws StorageError if it is not bytes. */
export function getKey(row: unknown, column: string): string {
  const value = safeGet(row, column)
  return (Buffer.isBuffer(value) ? value : toBuffer(getBytes(row, column))).toString()
}

function toKey(text: string, maxBytes: number): Buffer {
  const bytes = Buffer.from(text)
  if (bytes.length > maxBytes)
    throw new StorageError(`a key is longer than ${maxBytes} bytes, which the tables cannot store`)
  return bytes
}
