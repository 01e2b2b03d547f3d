/** Reads the columns of a row, whichever driver answers it. */

import { memberOf, StorageError } from '../errors.js'

/** A text column. @throws StorageError if it is none. */
export function textIn(row: unknown, column: string): string {
  const value = memberOf(row, column)
  return typeof value === 'string' ? value : unexpected()
}

/** A whole number, 0 or more; drivers answer some of them as texts or bigints. @throws StorageError if it is none. */
export function countIn(row: unknown, column: string): number {
  const value = memberOf(row, column)
  const count = typeof value === 'string' || typeof value === 'bigint' ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0
    ? count
    : unexpected()
}

/** A column of bytes, never as a Buffer, whose `slice` would share them. @throws StorageError if it is none. */
export function bytesIn(row: unknown, column: string): Uint8Array {
  const value = memberOf(row, column)
  return value instanceof Uint8Array
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : unexpected()
}

function unexpected(): never {
  throw new StorageError('the database answered what no store has written')
}
