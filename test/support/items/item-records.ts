/** Parses and formats records of items, which only the vault does otherwise. */

import {
  type BlobIds,
  decodeRecord,
  encodeRecord,
  formatHeader,
  parseHeader,
  parseItem,
} from '../../../src/core/records/item-record.js'
import type { Item } from '../../../src/index.js'

/** An item and the blobs of its files. */
export interface ItemRecord {
  readonly item: Item
  readonly blobs: BlobIds
}

/** Parses the bytes of a record. */
export function parseRecord(body: Uint8Array): ItemRecord {
  const { header, text } = decodeRecord(body)
  return { item: parseItem(text), blobs: parseHeader(header).blobs }
}

/** Formats a record. */
export function formatRecord({ item, blobs }: ItemRecord): Uint8Array {
  return encodeRecord({ header: formatHeader(item, blobs), text: JSON.stringify(item) })
}
