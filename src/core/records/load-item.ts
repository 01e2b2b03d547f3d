/** Finds an item, or says what of it is missing: the vault or the item. */

import { NotFoundError } from '../../errors.js'
import type { ItemRef } from '../../schema/ids.js'
import type { Item } from '../../schema/item.js'
import type { StoredRecord } from '../../store.js'
import type { Context } from '../runtime/context.js'
import {
  decodeRecord,
  type ItemHeader,
  itemKey,
  parseHeader,
  parseItem,
  type RecordLines,
} from './item-record.js'
import { corruptRecordError } from './stored-json.js'
import { requireVaultRecord } from './vault-record.js'

/** An item that was found, and its record's lines as they are stored. */
export interface StoredItem extends RecordLines {
  readonly item: Item
}

/** The item as it is stored now; undefined if there is none, or if it is marked as deleted. */
export async function findItem(context: Context, ref: ItemRef): Promise<StoredItem | undefined> {
  const found = await findAnyItem(context, ref)
  return found?.item.state === 'DELETED' ? undefined : found
}

/** The item as it is stored now, whatever its state; undefined if there is none. */
export async function findAnyItem(context: Context, ref: ItemRef): Promise<StoredItem | undefined> {
  const stored = await context.store.records.get(itemKey(ref))
  return stored && parseItemRecord(stored, ref)
}

/**
 * The item as it is stored now. One that is marked as deleted is not there.
 * @throws NotFoundError for the vault if there is none, else for the item.
 */
export async function loadItem(context: Context, ref: ItemRef): Promise<StoredItem> {
  return (await findItem(context, ref)) ?? throwNotFound(context, ref)
}

/**
 * The item as it is stored now, whatever its state.
 * @throws NotFoundError for the vault if there is none, else for the item.
 */
export async function loadAnyItem(context: Context, ref: ItemRef): Promise<StoredItem> {
  return (await findAnyItem(context, ref)) ?? throwNotFound(context, ref)
}

/**
 * The head of the item's record as it is stored now; the item itself is not read.
 * @throws NotFoundError for the vault if there is none, else for the item.
 */
export async function loadHeader(context: Context, ref: ItemRef): Promise<ItemHeader> {
  return (await findHead(context, ref)) ?? throwNotFound(context, ref)
}

/** The head of the item's record as it is stored now; undefined if there is no item, or if it is marked as deleted. */
export async function findHead(context: Context, ref: ItemRef): Promise<ItemHeader | undefined> {
  const stored = await context.store.records.get(itemKey(ref))
  const header = stored && parseHeader(decodeRecord(stored.body).header)
  return header?.state === 'DELETED' ? undefined : header
}

/** The contents that the item names, whatever its state; undefined if there is no item. */
export async function listBlobIds(
  context: Context,
  ref: ItemRef,
): Promise<readonly string[] | undefined> {
  const stored = await context.store.records.get(itemKey(ref))
  return stored && Object.values(parseHeader(decodeRecord(stored.body).header).blobs)
}

/** What a record holds, if it lies where its item belongs. @throws StorageError otherwise. */
export function parseItemRecord(stored: StoredRecord, { vaultId, itemId }: ItemRef): StoredItem {
  const { header, text } = decodeRecord(stored.body)
  const item = parseItem(text)
  if (item.id !== itemId || item.vault.id !== vaultId) throw corruptRecordError()
  if (item.version !== stored.version) throw corruptRecordError()
  return { item, header, text }
}

async function throwNotFound(context: Context, { vaultId, itemId }: ItemRef): Promise<never> {
  await requireVaultRecord(context, vaultId)
  throw new NotFoundError('item', itemId)
}
