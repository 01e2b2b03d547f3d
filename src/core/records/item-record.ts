/**
 * The record of an item: two lines of JSON. The first is a header with what can be read without
 * parsing the item, the second the item as it is returned. Most changes leave the header unchanged
 * and do not parse it.
 */

import * as z from 'zod/mini'
import { type FileDetails, fileDetailsSchema } from '../../schema/file.js'
import type { ItemRef } from '../../schema/ids.js'
import { type Item, type ItemState, itemSchema, itemStateSchema } from '../../schema/item.js'
import type { RecordKey } from '../../store.js'
import { corruptRecordError, decodeText, encodeText, parseStored } from './stored-json.js'

/** The blob ids of an item, by file id. */
export type BlobIds = Readonly<Record<string, string>>

/** The part of an item that can be read without parsing the item. */
export interface ItemHeader {
  readonly format: 1
  readonly state?: ItemState
  readonly files: readonly FileDetails[]
  readonly blobs: BlobIds
}

/** The two lines of a record. */
export interface RecordLines {
  /** The JSON of the header. */
  readonly header: string
  /** The JSON of the item. */
  readonly text: string
}

const headerSchema = z.object({
  format: z.literal(1),
  state: z.exactOptional(itemStateSchema),
  files: z.array(fileDetailsSchema),
  blobs: z.record(z.string(), z.string()),
})

/** Returns the key of an item's record. */
export function itemKey({ vaultId, itemId }: ItemRef): RecordKey {
  return { collection: `items/${vaultId}`, id: itemId }
}

/** Returns the name of the collection of a vault's items. */
export function itemCollection(vaultId: string): string {
  return `items/${vaultId}`
}

/** Returns the header of an item as JSON. */
export function formatHeader(
  { state, files }: Pick<Item, 'state' | 'files'>,
  blobs: BlobIds,
): string {
  const header: ItemHeader = { format: 1, ...(state && { state }), files, blobs }
  return JSON.stringify(header)
}

/** Parses the header of a record. @throws StorageError if it is invalid. */
export function parseHeader(line: string): ItemHeader {
  return parseStored(headerSchema, line)
}

/** Parses the item of a record. @throws StorageError if it is invalid. */
export function parseItem(line: string): Item {
  return parseStored(itemSchema, line)
}

/** Encodes the two lines of a record. */
export function encodeRecord({ header, text }: RecordLines): Uint8Array {
  return encodeText(`${header}\n${text}`)
}

/**
 * Decodes a record into its lines.
 * @throws StorageError if it is not UTF-8 or has only one line.
 */
export function decodeRecord(body: Uint8Array): RecordLines {
  const lines = decodeText(body)
  const headerEnd = lines.indexOf('\n')
  if (headerEnd < 0) throw corruptRecordError()
  return { header: lines.slice(0, headerEnd), text: lines.slice(headerEnd + 1) }
}

/**
 * Returns the index key for a title: up to 128 UTF-16 units of its start, cut between code points.
 */
export function indexKeyOf(title: string): string {
  const start = title.slice(0, 128)
  return start.isWellFormed() ? start : start.slice(0, -1)
}
