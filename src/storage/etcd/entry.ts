/**
 * The entry of a record: its index key, and an upper bound of its body's size. The bound is rounded
 * up by at most a quarter, so that most changes of a record do not change its entry. A small record
 * without an index key has no entry.
 */

import { unexpectedAnswerError } from './errors.js'
import { toStoredText } from './keys.js'

/** The entry of a record. */
export interface Entry {
  /** Bytes, a number that {@link toSizeBound} has returned. */
  readonly sizeBound: number
  readonly indexKey: string | undefined
}

/** Bytes up to which a record without an index key needs no entry. */
export const smallBodyBytes = 1024

/** Returns the entry of a record, or undefined if it needs none. */
export function createEntry(bodyBytes: number, indexKey: string | undefined): Entry | undefined {
  const sizeBound = toSizeBound(bodyBytes)
  if (sizeBound === smallBodyBytes && indexKey === undefined) return undefined
  return { sizeBound, indexKey: indexKey && toStoredText(indexKey) }
}

/**
 * Returns the entry as a string: the bound and, if there is an index key, a space and the index
 * key.
 */
export function formatEntry({ sizeBound, indexKey }: Entry): string {
  return indexKey === undefined ? String(sizeBound) : `${sizeBound} ${indexKey}`
}

/**
 * Parses the string.
 * @throws StorageError (`STORAGE_FAILED`) if it has another format.
 */
export function parseEntry(text: string): Entry {
  const [, digits, indexKey] = /^(\d{1,15})(?: (.*))?$/s.exec(text) ?? []
  if (digits === undefined) throw unexpectedAnswerError()
  return { sizeBound: Number(digits), indexKey }
}

/** Returns at least `bytes`, rounded up to one of four steps for each power of two. */
function toSizeBound(bytes: number): number {
  if (bytes <= smallBodyBytes) return smallBodyBytes
  const step = 2 ** (29 - Math.clz32(bytes - 1))
  return Math.ceil(bytes / step) * step
}
