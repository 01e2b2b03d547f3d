/**
 * An item as the bytes of a record: two lines of JSON, a head with what can be asked for without the item, and the
 * item exactly as it is answered. Most changes leave the head as it is, and so need not read it.
 */

import * as z from 'zod/mini'
import { type FileDetails, fileDetailsSchema } from '../../schema/file.js'
import { type Item, type ItemState, itemSchema, itemStateSchema } from '../../schema/item.js'
import type { RecordKey } from '../../store.js'
import { corruptRecordError, decodeText, encodeText, parseStored } from './stored-json.js'

/** The blob of each file of an item, by file id. */
export type BlobIds = Readonly<Record<string, string>>

/** What can be asked of an item without reading it. */
export interface ItemHeader {
  readonly format: 1
  readonly state?: ItemState
  readonly files: readonly FileDetails[]
  readonly blobs: BlobIds
}

/** A record as it is written: the head's line and the item's. */
export interface RecordLines {
  readonly header: string
  readonly text: string
}

const headSchema = z.object({
  format: z.literal(1),
  state: z.exactOptional(itemStateSchema),
  files: z.array(fileDetailsSchema),
  blobs: z.record(z.string(), z.string()),
})

/** The key of an item's record. */
export function itemKey({
  vaultId,
  itemId,
}: {
  readonly vaultId: string
  readonly itemId: string
}): RecordKey {
  return { collection: itemCollection(vaultId), id: itemId }
}

/** The collection of a vault's items. */
export function itemCollection(vaultId: string): string {
  return `items/${vaultId}`
}

/** The head's line for an item whose files have these blobs. */
export function formatHeader(
  { state, files }: Pick<Item, 'state' | 'files'>,
  blobs: BlobIds,
): string {
  const header: ItemHeader = { format: 1, ...(state && { state }), files, blobs }
  return JSON.stringify(header)
}

/** @throws StorageError if the line is not one that a vault wrote. */
export function parseHeader(line: string): ItemHeader {
  return parseStored(headSchema, line)
}

/** @throws StorageError if the line is not one that a vault wrote. */
export function parseItem(line: string): Item {
  return parseStored(itemSchema, line)
}

/** The bytes of two lines. */
export function encodeRecord({ header, text }: RecordLines): Uint8Array {
  return encodeText(`${header}\n${text}`)
}

/** The two lines of a record's bytes. @throws StorageError if they are not what a vault wrote. */
export function decodeRecord(body: Uint8Array): RecordLines {
  const lines = decodeText(body)
  const end = lines.indexOf('\n')
  if (end < 0) throw corruptRecordError()
  return { header: lines.slice(0, end), text: lines.slice(end + 1) }
}

/** The label an item is found again by: the start of its title, cut between code points. */
export function indexKeyOf(title: string): string {
  const start = title.slice(0, 128)
  return start.isWellFormed() ? start : start.slice(0, -1)
}
