/** Seals and opens the values of one scope. */

import { text } from '../base/argument.js'
import { redactError } from '../base/redact-error.js'
import { DecryptionError, type StorageError, StorageUnavailableError } from '../errors.js'
import type { DataKey } from '../storage/encrypted/envelope/record-envelope.js'
import type { KeyCache } from '../storage/encrypted/keys/key-cache.js'
import { currentKey } from '../storage/encrypted/keys/key-ring.js'
import { type Place, type RowPart, toParts } from './place.js'
import { isSealed, keyIdOf, openText, parseSealed, type Sealed, sealText } from './sealed-text.js'

/** A format in which values were encrypted before they were sealed. Both functions are synchronous. */
export interface LegacyFormat {
  /**
   * Return true if a string is in this format. Decide by what the string looks like, never by
   * trying to decrypt it. It is not called for sealed values.
   */
  matches(text: string): boolean
  /**
   * Returns the value. If it throws, `open` throws a DecryptionError that does not repeat the
   * message.
   */
  open(text: string, place: Place): string
}

/** Seals and opens the value of one row, in one column. */
export interface SealedRow {
  /** Does what `seal` of the box does, for this place. */
  seal(value: string): Sealed
  /** Does what `open` of the box does, for this place. */
  open(sealed: string): string
}

/** One column, whose values are sealed. */
export interface SealedColumn {
  /**
   * Returns `seal` and `open` for one row.
   * @param id - The id of the row, or the parts of its key.
   * @throws TypeError if the id is not one that a place can have.
   */
  row(id: RowPart | readonly RowPart[]): SealedRow
}

/**
 * Seals and opens the values of one scope, synchronously, with the keys in memory. Its methods
 * throw
 *
 * - a StorageUnavailableError (503) if the keys in memory are older than `maxKeyAgeMs`, if the
 *   sealer is closed, or if the value was sealed with a key that this process has not read yet. In
 *   the last case it reads the key in the background
 * - a StorageError (`STORAGE_FAILED`, 500) if the keys of the scope were erased
 * - a TypeError if the place is not a list of a table, a column and the parts of a row's id, if the
 *   value is not a string, or if it contains a lone surrogate, which no encoding can represent
 */
export interface SealedBox {
  /** Returns the sealed value, an ASCII string that only `open` with the same place can read. */
  seal(place: Place, value: string): Sealed
  /**
   * Returns the value.
   * @throws DecryptionError (500) if
   * - the string was sealed for another place, in another scope, or with a key that is not in its
   *   ring
   * - a character of it was changed
   * - it is neither sealed nor in a legacy format. It is never returned as it is
   */
  open(place: Place, sealed: string): string
  /**
   * Returns true if the string was sealed with the current data key of the scope, or with another
   * process's newer key. Returns false for an older key, a legacy format and any other string. The
   * string is not opened.
   */
  isCurrent(sealed: string): boolean
  /**
   * Returns a column, whose method `row` takes the id of a row.
   * @throws TypeError if the name of the table or the column is empty or not text.
   */
  column(table: string, column: string): SealedColumn
}

/**
 * How many unknown key ids are remembered. There is a limit because an attacker's rows can contain
 * any id.
 */
const maxUnknownIds = 16

/** Creates the box of a scope. */
export function createBox(
  scope: string,
  cache: KeyCache,
  legacy: readonly LegacyFormat[],
): SealedBox {
  /** Key ids that are not in the ring, and how many reads of it had begun when each was first met. */
  const unknownIds = new Map<number, number>()
  let unknownIn: number | undefined

  const currentId = (): number => currentKey(cache.newest(scope)).id
  const findKey = (keyId: number): DataKey => {
    const ring = cache.newest(scope)
    const key = cache.keyOf(ring, keyId)
    if (key !== undefined) return key
    if (unknownIn !== ring.version) unknownIds.clear()
    unknownIn = ring.version
    throw meetUnknownId(keyId)
  }
  /** Remembers an id that another process may have just made, and reads the ring in the background. */
  const meetUnknownId = (keyId: number): StorageError => {
    const { begun, succeeded } = cache.readingsOf(scope)
    const metAfter = unknownIds.get(keyId)
    const isRemembered = metAfter !== undefined || unknownIds.size < maxUnknownIds
    if (metAfter === undefined && isRemembered) unknownIds.set(keyId, begun)
    cache.readInBackground(scope)
    if (!isRemembered || (metAfter !== undefined && succeeded > metAfter))
      return new DecryptionError('the value was sealed with a key that does not exist')
    return new StorageUnavailableError(
      'the value was sealed with a key that is not in memory yet: try again',
    )
  }
  const toRow = (place: Place): SealedRow => {
    const parts = toParts(place)
    return {
      seal(value) {
        text()(value, 'value')
        if (!value.isWellFormed()) throw new TypeError('value must not contain a lone surrogate')
        return sealText(findKey(currentId()), { scope, parts }, value)
      },
      open(sealed) {
        text()(sealed, 'sealed')
        if (!isSealed(sealed)) return openLegacy(legacy, place, sealed)
        const parsed = parseSealed(sealed)
        if (parsed === undefined)
          throw new DecryptionError(`the sealed value of ${parts[0]}.${parts[1]} is damaged`)
        return openText(findKey(parsed.keyId), { scope, parts }, parsed)
      },
    }
  }
  return {
    seal: (place, value) => toRow(place).seal(value),
    open: (place, sealed) => toRow(place).open(sealed),
    isCurrent(sealed) {
      text()(sealed, 'sealed')
      const keyId = keyIdOf(sealed)
      return keyId !== undefined && keyId >= currentId()
    },
    column(table, column) {
      toParts([table, column, 1])
      return { row: (id) => toRow([table, column, id].flat() as unknown as Place) }
    },
  }
}

function openLegacy(legacy: readonly LegacyFormat[], place: Place, stored: string): string {
  let value: unknown
  try {
    const format = legacy.find((known) => known.matches(stored))
    if (format === undefined)
      throw new DecryptionError(`the value of ${place[0]}.${place[1]} is not sealed`)
    value = format.open(stored, place)
  } catch (error) {
    if (error instanceof DecryptionError) throw error
    const failure = new DecryptionError(`the legacy value of ${place[0]}.${place[1]} is damaged`)
    failure.cause = redactError(error)
    throw failure
  }
  return text()(value as string, 'the result of the legacy format')
}
