/** What turning encryption on needs to know of records that were written before. */

import { memberOf } from '../errors.js'

/**
 * Looks inside records that are not sealed. `plainRecords` is the one for what a vault service writes.
 */
export interface PlainRecords {
  /** The label that the record was written with; undefined if it had none. */
  labelOf(collection: string, body: Uint8Array): string | undefined
  /** The ids of the contents that the record names. */
  blobIdsOf(collection: string, body: Uint8Array): readonly string[]
}

/**
 * Checks the option `plaintext`: `false` and `null` must not be taken for functions that look inside.
 * @throws TypeError if it is neither undefined nor an object with both functions.
 */
export function checkPlainRecords(plaintext: unknown): void {
  if (plaintext === undefined) return
  const [labelOf, blobIdsOf] = [memberOf(plaintext, 'labelOf'), memberOf(plaintext, 'blobIdsOf')]
  if (typeof labelOf !== 'function' || typeof blobIdsOf !== 'function')
    throw new TypeError('plaintext must be absent, or an object with labelOf and blobIdsOf')
}

const openingBrace = 0x7b

/** Whether a body is a record in JSON that nobody has sealed: its first byte is `{`, which begins no envelope. */
export function isPlain(body: Uint8Array): boolean {
  return body[0] === openingBrace
}
