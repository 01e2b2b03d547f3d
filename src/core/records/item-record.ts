/**
 * The record of an item: two lines of JSON. The first is a header, with everything that can be read
 * without parsing the item. The second is the item as it is returned. Most changes leave the header
 * unchanged and do not parse it.
 *
 * When an item is deleted, its record is deleted. But if a caller chose its id, a tombstone
 * replaces it, because the id can be used again. So the version numbers of the id continue, and a
 * late write to an earlier item is rejected. The tombstone is never deleted, not even with the
 * vault.
 */

import { areBytesEqual } from '../../base/are-bytes-equal.js'
import { notFoundError } from '../../base/fixed-errors.js'
import { collectionOf, itemRecords } from '../../base/stored-records.js'
import { type FileDetails, fileDetailsSchema } from '../../schema/file.js'
import type { ItemRef } from '../../schema/ids.js'
import { type Item, type ItemState, itemSchema, itemStateSchema } from '../../schema/item.js'
import * as z from '../../schema/zod.js'
import type { RecordKey, StoredRecord } from '../../store.js'
import type { Context } from '../runtime/context.js'
import {
  corruptRecordError,
  decodeText,
  parseRecord,
  parseStored,
  unknownMembersOf,
} from './stored-json.js'
import { requireVaultRecord } from './vault-record.js'

/** The blob ids of an item, by file id. */
export type BlobIds = Readonly<Record<string, string>>

/** The creation of an item whose id a caller chose. */
export interface ChosenId {
  /** The version with which the item was created. Earlier versions belong to deleted items. */
  readonly firstVersion: number
  /** The `generation` of the vault in which it was created. */
  readonly generation: number
}

/** The part of an item that can be read without parsing the item. */
export interface ItemHeader {
  readonly format: 1
  readonly state?: ItemState
  /** Not set if the id of the item is random. */
  readonly chosenId?: ChosenId
  readonly files: readonly FileDetails[]
  readonly blobs: BlobIds
}

const headerSchema = z.object({
  format: z.literal(1),
  state: z.exactOptional(itemStateSchema),
  chosenId: z.exactOptional(
    z.object({ firstVersion: z.int().check(z.gte(1)), generation: z.int().check(z.gte(0)) }),
  ),
  files: z.array(fileDetailsSchema),
  blobs: z.record(z.string(), z.string()),
})

const noBytes = new Uint8Array(0)

/** Ends the header of a record. `JSON.stringify` escapes line feeds in strings. */
const lineFeed = 0x0a

/** Returns the key of an item's record. */
export function itemKey({ vaultId, itemId }: ItemRef): RecordKey {
  return { collection: collectionOf(itemRecords, vaultId), id: itemId }
}

/**
 * Returns the header of an item as JSON.
 * @param before - The header that is replaced, if there is one.
 */
export function formatHeader(
  { state, files }: Pick<Item, 'state' | 'files'>,
  blobs: BlobIds,
  chosenId?: ChosenId,
  before: object = {},
): string {
  const header: ItemHeader = {
    format: 1,
    ...(state && { state }),
    ...(chosenId && { chosenId }),
    files,
    blobs,
    ...unknownMembersOf(headerSchema, before),
  }
  return JSON.stringify(header)
}

/** Parses the header of an item. @throws DecryptionError with `record` if it is invalid. */
export function parseHeader({ item, header }: Pick<StoredItem, 'item' | 'header'>): ItemHeader {
  const key = itemKey({ vaultId: item.vault.id, itemId: item.id })
  const stored = { version: item.version, body: noBytes }
  return parseRecord(key, stored, () => parseStored(headerSchema, header))
}

/**
 * Parses the header of a record, without decoding the item. For 2.3 KB with non-ASCII characters,
 * that takes a third of the time of decoding everything.
 * @throws DecryptionError with `record` if the record is unreadable.
 */
function decodeHeader(record: StoredRecord, ref: ItemRef): ItemHeader {
  return parseRecord(itemKey(ref), record, (body) => {
    const headerEnd = body.indexOf(lineFeed)
    if (headerEnd < 0) throw corruptRecordError()
    return parseStored(headerSchema, decodeText(body.subarray(0, headerEnd)))
  })
}

/** Returns true if the record exists and is not a tombstone. It is not parsed. */
export function isItemRecord<Stored extends StoredRecord>(
  stored: Stored | undefined,
): stored is Stored {
  return stored !== undefined && !isTombstone(stored)
}

function isTombstone({ body }: StoredRecord): boolean {
  return areBytesEqual(body, itemRecords.tombstoneOf())
}

/** The blobs of an item, and which archived versions with its id belong to it. */
export interface ItemReferences {
  /** The blobs that the item refers to, in any state. Empty if it does not exist. */
  readonly blobIds: readonly string[]
  /**
   * The last version of a deleted item with this id. Archived versions up to it belong to no item.
   * 0 if all belong to the item, Infinity if the id has never been used or never will be again.
   */
  readonly lastDeleted: number
}

/**
 * Returns the references of the item with this record. The item itself is not parsed.
 * @throws DecryptionError with `record` if the record is unreadable.
 */
export function referencesOf(stored: StoredRecord | undefined, ref: ItemRef): ItemReferences {
  if (stored === undefined) return { blobIds: [], lastDeleted: Number.POSITIVE_INFINITY }
  if (isTombstone(stored)) return { blobIds: [], lastDeleted: stored.version }
  const { blobs, chosenId } = decodeHeader(stored, ref)
  const lastDeleted = chosenId === undefined ? 0 : chosenId.firstVersion - 1
  return { blobIds: Object.values(blobs), lastDeleted }
}

/** Loads the references of an item, which need not exist. */
export async function loadReferences(context: Context, ref: ItemRef): Promise<ItemReferences> {
  return referencesOf(await context.store.records.get(itemKey(ref)), ref)
}

/** An item and the two lines of its record, which a line feed separates. */
export interface StoredItem {
  readonly item: Item
  /** The JSON of the header. */
  readonly header: string
  /** The JSON of the item. */
  readonly text: string
}

/** Returns the item of a record, for callers in process. */
export function toItem({ item }: StoredItem): Item {
  return item
}

/** Options of `loadItem`. */
export interface LoadOptions {
  /** If true, finds an item that is marked as deleted as well. Default: false. */
  readonly includeDeleted?: boolean
  /** If true, throws the error for the item even if its vault does not exist. Default: false. */
  readonly alwaysNamesItem?: boolean
}

/**
 * Returns the stored item.
 * @throws NotFoundError for the vault if it does not exist, otherwise for the item.
 */
export async function loadItem(
  context: Context,
  ref: ItemRef,
  options: LoadOptions = {},
): Promise<StoredItem> {
  const { includeDeleted = false, alwaysNamesItem = false } = options
  const record = await context.store.records.get(itemKey(ref))
  const stored = isItemRecord(record) ? parseItemRecord(record, ref) : undefined
  if (stored !== undefined && (includeDeleted || stored.item.state !== 'DELETED')) return stored
  if (alwaysNamesItem) throw notFoundError('item', ref.itemId)
  return throwNotFound(context, ref)
}

/**
 * Returns the header of the item's record. The item itself is not parsed.
 * @throws NotFoundError for the vault if it does not exist, otherwise for the item.
 */
export async function loadHeader(context: Context, ref: ItemRef): Promise<ItemHeader> {
  return (await findHeader(context, ref)) ?? throwNotFound(context, ref)
}

/**
 * Returns the header of the item's record, or undefined if the item does not exist or is marked as
 * deleted.
 */
export async function findHeader(context: Context, ref: ItemRef): Promise<ItemHeader | undefined> {
  const record = await context.store.records.get(itemKey(ref))
  const header = isItemRecord(record) ? decodeHeader(record, ref) : undefined
  return header?.state === 'DELETED' ? undefined : header
}

/**
 * Parses the record of this item. All of it is validated, even if only its JSON is used, because
 * stored data that was not checked must never be returned.
 * @throws DecryptionError with `record` if the record is unreadable or belongs to another item.
 */
export function parseItemRecord(record: StoredRecord, ref: ItemRef): StoredItem {
  return parseRecord(itemKey(ref), record, (body) => parseItem(body, ref, record.version))
}

/** Parses a record of a version of this item. @throws StorageError if it is invalid. */
export function parseItem(
  body: Uint8Array,
  { vaultId, itemId }: ItemRef,
  version: number,
): StoredItem {
  const lines = decodeText(body)
  const headerEnd = lines.indexOf('\n')
  if (headerEnd < 0) throw corruptRecordError()
  const header = lines.slice(0, headerEnd)
  const text = lines.slice(headerEnd + 1)
  const item = parseStored(itemSchema, text)
  if (item.id !== itemId || item.vault.id !== vaultId) throw corruptRecordError()
  if (item.version !== version) throw corruptRecordError()
  return { item, header, text }
}

async function throwNotFound(context: Context, { vaultId, itemId }: ItemRef): Promise<never> {
  await requireVaultRecord(context, vaultId)
  throw notFoundError('item', itemId)
}
