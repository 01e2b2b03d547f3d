/** Looks inside records that a vault service wrote before its store was encrypted: the one store that reads a record. */

import { DecryptionError } from '../../errors.js'
import { safeGet } from '../../safe-get.js'

/** The most characters of a label. */
const labelLength = 128

/**
 * What a vault service writes (decision 0002): a vault is JSON and labelled with its name; an item, and each older
 * version of one, is a line of JSON that names its contents and a line that is the item, which is labelled with its
 * title. Its functions throw a DecryptionError if the record is something else.
 */
export const plaintextRecords: PlaintextReader = {
  labelOf(collection, body) {
    if (collection === 'vaults') return labelled(safeGet(parsed(lines(body)[0]), 'name'))
    if (!collection.startsWith('items/')) return undefined
    return labelled(safeGet(parsed(lines(body)[1]), 'title'))
  },
  blobIdsOf(collection, body) {
    if (!/^(?:items|versions)\//.test(collection)) return []
    const blobs = safeGet(parsed(lines(body)[0]), 'blobs')
    const ids: unknown[] = typeof blobs === 'object' && blobs !== null ? Object.values(blobs) : []
    return ids.filter((id) => typeof id === 'string')
  },
}

function lines(body: Uint8Array): readonly string[] {
  return new TextDecoder().decode(body).split('\n')
}

/** The words of the parser are not kept: they quote what it read. */
function parsed(line: string | undefined): unknown {
  try {
    return JSON.parse(line ?? '')
  } catch {
    throw new DecryptionError()
  }
}

/** The start of the text, cut between code points; undefined if it is none. */
function labelled(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  const start = text.slice(0, labelLength)
  return start.isWellFormed() ? start : start.slice(0, -1)
}

/**
 * Looks inside records that are not sealed. `plainRecords` is the one for what a vault service writes.
 */
export interface PlaintextReader {
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
  const [labelOf, blobIdsOf] = [safeGet(plaintext, 'labelOf'), safeGet(plaintext, 'blobIdsOf')]
  if (typeof labelOf !== 'function' || typeof blobIdsOf !== 'function')
    throw new TypeError('plaintext must be absent, or an object with labelOf and blobIdsOf')
}

const openingBrace = 0x7b

/** Whether a body is a record in JSON that nobody has sealed: its first byte is `{`, which begins no envelope. */
export function isPlain(body: Uint8Array): boolean {
  return body[0] === openingBrace
}
