/** Parses and formats records of items, which only the vault does otherwise. */

import {
  type BlobIds,
  formatHeader,
  parseHeader,
  parseItemRecord,
} from '../../../src/core/records/item-record.js'
import { encodeText } from '../../../src/core/records/stored-json.js'
import type { Item } from '../../../src/index.js'

/** An item and the blobs of its files. */
export interface ItemRecord {
  readonly item: Item
  readonly blobs: BlobIds
}

/** Parses the bytes of a record, with the ids and the version that they contain. */
export function parseRecord(body: Uint8Array): ItemRecord {
  const [, itemId = '', vaultId = '', version] =
    /"id":"(\w+)","vault":\{"id":"(\w+)".*"version":(\d+),/s.exec(String(Buffer.from(body))) ?? []
  const stored = parseItemRecord({ version: Number(version), body }, { vaultId, itemId })
  return { item: stored.item, blobs: parseHeader(stored).blobs }
}

/** Formats a record. */
export function formatRecord({ item, blobs }: ItemRecord): Uint8Array {
  return encodeText(`${formatHeader(item, blobs)}\n${JSON.stringify(item)}`)
}
