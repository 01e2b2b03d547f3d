/** Takes the columns out of a row, of whichever driver. */

import { memberOf, StorageError } from '../../errors.js'

/** @throws StorageError if the column holds no text. */
export function textIn(row: unknown, column: string): string {
  const value = memberOf(row, column)
  if (typeof value !== 'string') throw unexpected()
  return value
}

/** A whole number that is safe. @throws StorageError if the column holds none. */
export function numberIn(row: unknown, column: string): number {
  return numberOf(memberOf(row, column))
}

/** A whole number, 0 or more, from a driver that may answer it as a text. @throws StorageError if there is none. */
export function countIn(row: unknown, column: string): number {
  const value = memberOf(row, column)
  const count = numberOf(typeof value === 'string' ? Number(value) : value)
  if (count < 0) throw unexpected()
  return count
}

/**
 * Never a Buffer, whose `slice` would share its bytes, and whose `toString` and JSON would print them.
 * @throws StorageError if the column holds no bytes.
 */
export function bytesIn(row: unknown, column: string): Uint8Array {
  const value = memberOf(row, column)
  if (!(value instanceof Uint8Array)) throw unexpected()
  return value.constructor === Uint8Array
    ? value
    : new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

function numberOf(value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw unexpected()
  return number
}

function unexpected(): StorageError {
  return new StorageError('the database holds what no vault wrote')
}
