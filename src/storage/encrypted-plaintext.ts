/** What turning encryption on needs to know of records that were written before. */

/**
 * Looks inside records that are not sealed. `plainRecords` is the one for what a vault service writes.
 */
export interface PlainRecords {
  /** The label that the record was written with; undefined if it had none. */
  labelOf(collection: string, body: Uint8Array): string | undefined
  /** The ids of the contents that the record names. */
  blobIdsOf(collection: string, body: Uint8Array): readonly string[]
}

const openingBrace = 0x7b

/** Whether a body is a record in JSON that nobody has sealed: its first byte is `{`, which begins no envelope. */
export function isPlain(body: Uint8Array): boolean {
  return body[0] === openingBrace
}
