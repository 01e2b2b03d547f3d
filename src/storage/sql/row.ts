/** Reads typed columns from a row of any SQL driver. */

import { safeGet } from '../../base/safe-get.js'
import { StorageError } from '../../errors.js'
import type { ServerSettings } from '../../store.js'

/** Returns a string column. @throws StorageError (`STORAGE_FAILED`) if it is not a string. */
export function getText(row: unknown, column: string): string {
  const value = safeGet(row, column)
  if (typeof value !== 'string') throw unexpectedColumnError()
  return value
}

/**
 * Returns an integer column, a number or a bigint.
 * @throws StorageError (`STORAGE_FAILED`) if it is not a safe integer.
 */
export function getInteger(row: unknown, column: string): number {
  return toInteger(safeGet(row, column))
}

/**
 * Returns an integer column of 0 or more, which some drivers return as a string.
 * @throws StorageError (`STORAGE_FAILED`) if it is not a safe integer of 0 or more.
 */
export function getCount(row: unknown, column: string): number {
  const value = safeGet(row, column)
  const count = toInteger(typeof value === 'string' ? Number(value) : value)
  if (count < 0) throw unexpectedColumnError()
  return count
}

/**
 * Returns a column of bytes as a plain Uint8Array, on the same memory if possible. A Buffer is
 * never returned, because its `slice` shares its bytes, and its `toString` and JSON print them.
 * libSQL returns some columns as ArrayBuffer, and D1 returns arrays of numbers.
 * @throws StorageError (`STORAGE_FAILED`) if it is not bytes.
 */
export function getBytes(row: unknown, column: string): Uint8Array {
  const value = safeGet(row, column)
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (Array.isArray(value) && value.every(isByte)) return Uint8Array.from(value)
  if (!(value instanceof Uint8Array)) throw unexpectedColumnError()
  return value.constructor === Uint8Array
    ? value
    : new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

function isByte(value: unknown): boolean {
  return typeof value === 'number' && (value & 255) === value
}

function toInteger(value: unknown): number {
  const number = typeof value === 'bigint' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) throw unexpectedColumnError()
  return number
}

function unexpectedColumnError(): StorageError {
  return new StorageError('unexpected data in the database')
}

/**
 * Reads the settings of a server from a row of strings: `seconds`, the time of its clock since
 * 1970, and the settings with these names.
 */
export function toServerSettings(row: unknown, names: readonly string[]): ServerSettings {
  const values = Object.fromEntries(names.map((name) => [name, getText(row, name)]))
  return { now: new Date(Number(getText(row, 'seconds')) * 1000), values }
}
