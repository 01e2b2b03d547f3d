/** Looks into the record of an item, as only the vault does. */

import { decodeRecord, type ItemRecord, parseHead, parseItem } from '../../src/core/item-record.js'

/** What the bytes of a record hold. */
export function recordIn(body: Uint8Array): ItemRecord {
  const { head, text } = decodeRecord(body)
  return { item: parseItem(text), blobs: parseHead(head).blobs }
}
