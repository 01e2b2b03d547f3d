/** Takes the columns out of a row, of whichever driver. */

import { StorageError } from '../../errors.js'
import { safeGet } from '../../safe-get.js'

/** @throws StorageError if the column holds no text. */
export function getText(row: unknown, column: string): string {
  const value = safeGet(row, column)
  if (typeof value !== 'string') throw unexpectedColumnError()
  return value
}

/** A whole number that is safe. @throws StorageError if the column holds none. */
export function getInteger(row: unknown, column: string): number {
  return numberOf(safeGet(row, column))
}

/** A whole number, 0 or more, from a driver that may answer it as a text. @throws StorageError if there is none. */
export function getCount(row: unknown, column: string): number {
  const value = safeGet(row, column)
  const count = numberOf(typeof value === 'string' ? Number(value) : value)
  if (count < 0) throw unexpectedColumnError()
  return count
}

/**
 * Never a Buffer, whose `slice` would share its bytes, and whose `toString` and JSON would print them.
 * @throws StorageError if the column holds no bytes.
 */
export function getBytes(row: unknown, column: string): Uint8Array {
  const value = safeGet(row, column)
  if (!(value instanceof Uint8Array)) throw unexpectedColumnError()
  return value.constructor === Uint8Array
    ? value
    : new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

function numberOf(value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw unexpectedColumnError()
  return number
}

function unexpectedColumnError(): StorageError {
  return new StorageError('the database holds what no vault wrote')
}
