/** Takes the columns out of a row, of whichever driver. */

import { memberOf, StorageError } from '../errors.js'

/** @throws StorageError if the column holds no whole number that is safe. */
export function numberIn(row: unknown, column: string): number {
  const value = memberOf(row, column)
  const number = typeof value === 'bigint' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw unexpected()
  return number
}

/** @throws StorageError if the column holds no text. */
export function textIn(row: unknown, column: string): string {
  const value = memberOf(row, column)
  if (typeof value !== 'string') throw unexpected()
  return value
}

/** Never a Buffer: `toString` and JSON would print its bytes. @throws StorageError if the column holds no bytes. */
export function bytesIn(row: unknown, column: string): Uint8Array {
  const value = memberOf(row, column)
  if (!(value instanceof Uint8Array)) throw unexpected()
  return value.constructor === Uint8Array
    ? value
    : new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

function unexpected(): StorageError {
  return new StorageError('the database holds what no vault wrote')
}
