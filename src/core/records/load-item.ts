/** Loads items from their records. */

import { NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import { type Item, itemSchema } from '../../schema/item.js'
import type { StoredRecord } from '../../store.js'
import type { Context } from '../runtime/context.js'
import {
  decodeRecord,
  type ItemHeader,
  itemKey,
  parseHeader,
  type RecordLines,
} from './item-record.js'
import { corruptRecordError, parseStored } from './stored-json.js'
import { requireVaultRecord } from './vault-record.js'

/** An item and the lines of its record. */
export interface StoredItem extends RecordLines {
  readonly item: Item
}

/** Which items are found, and how a missing one is reported. */
export interface LoadOptions {
  /** Whether an item that is marked as deleted is found. No if absent. */
  readonly includeDeleted?: boolean
  /** Whether the error names the item even if its vault does not exist. No if absent. */
  readonly alwaysNamesItem?: boolean
}

/**
 * Returns the stored item.
 * @throws NotFoundError for the vault if it does not exist, otherwise for the item.
 */
export async function loadItem(
  context: Context,
  ref: ItemRef,
  { includeDeleted = false, alwaysNamesItem = false }: LoadOptions = {},
): Promise<StoredItem> {
  const record = await context.store.records.get(itemKey(ref))
  const stored = record && parseItemRecord(record, ref)
  if (stored !== undefined && (includeDeleted || stored.item.state !== 'DELETED')) return stored
  if (alwaysNamesItem) throw new NotFoundError('item', ref.itemId)
  return throwNotFound(context, ref)
}

/** Returns the stored item in any state; undefined if it does not exist. */
export async function findItem(context: Context, ref: ItemRef): Promise<StoredItem | undefined> {
  const record = await context.store.records.get(itemKey(ref))
  return record && parseItemRecord(record, ref)
}

/**
 * Returns the header of the item's record. The item itself is not parsed.
 * @throws NotFoundError for the vault if it does not exist, otherwise for the item.
 */
export async function loadHeader(context: Context, ref: ItemRef): Promise<ItemHeader> {
  return (await findHeader(context, ref)) ?? throwNotFound(context, ref)
}

/** Returns the header of the item's record; undefined if the item does not exist or is marked as deleted. */
export async function findHeader(context: Context, ref: ItemRef): Promise<ItemHeader | undefined> {
  const record = await context.store.records.get(itemKey(ref))
  const header = record && parseHeader(decodeRecord(record.body).header)
  return header?.state === 'DELETED' ? undefined : header
}

/** Returns the ids of the blobs that the item refers to, in any state; undefined if the item does not exist. */
export async function listBlobIds(
  context: Context,
  ref: ItemRef,
): Promise<readonly string[] | undefined> {
  const record = await context.store.records.get(itemKey(ref))
  return record && Object.values(parseHeader(decodeRecord(record.body).header).blobs)
}

/** Parses the record of this item. @throws StorageError if it is invalid or the record of another item. */
export function parseItemRecord(record: StoredRecord, { vaultId, itemId }: ItemRef): StoredItem {
  const { header, text } = decodeRecord(record.body)
  const item = parseStored(itemSchema, text)
  if (item.id !== itemId || item.vault.id !== vaultId) throw corruptRecordError()
  if (item.version !== record.version) throw corruptRecordError()
  return { item, header, text }
}

async function throwNotFound(context: Context, { vaultId, itemId }: ItemRef): Promise<never> {
  await requireVaultRecord(context, vaultId)
  throw new NotFoundError('item', itemId)
}
