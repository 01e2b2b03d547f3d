/** Looks inside records that a vault service wrote before its store was encrypted: the one store that reads a record. */

import { DecryptionError, memberOf } from '../errors.js'
import type { PlainRecords } from './encrypted-plaintext.js'

/** The most characters of a label. */
const labelLength = 128

/**
 * What a vault service writes (decision 0002): a vault is JSON and labelled with its name; an item, and each older
 * version of one, is a line of JSON that names its contents and a line that is the item, which is labelled with its
 * title. Its functions throw a DecryptionError if the record is something else.
 */
export const plainRecords: PlainRecords = {
  labelOf(collection, body) {
    if (collection === 'vaults') return labelled(memberOf(parsed(lines(body)[0]), 'name'))
    if (!collection.startsWith('items/')) return undefined
    return labelled(memberOf(parsed(lines(body)[1]), 'title'))
  },
  blobIdsOf(collection, body) {
    if (!/^(?:items|versions)\//.test(collection)) return []
    const blobs = memberOf(parsed(lines(body)[0]), 'blobs')
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
