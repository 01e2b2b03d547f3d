/** Finds an item, or says what of it is missing: the vault or the item. */

import type { ItemPlace } from '../../dialects/dialect.js'
import { NotFoundError } from '../../errors.js'
import type { Item } from '../../schema/item.js'
import type { StoredRecord } from '../../store.js'
import type { Context } from '../runtime/context.js'
import {
  decodeRecord,
  type ItemHead,
  itemKey,
  parseHead,
  parseItem,
  type RecordText,
} from './item-record.js'
import { unreadable } from './stored-json.js'
import { requireVault } from './vault-record.js'

/** An item that was found, and its record's lines as they are stored. */
export interface FoundItem extends RecordText {
  readonly item: Item
}

/** The item as it is stored now; undefined if there is none, or if it is marked as deleted. */
export async function findItem(
  context: Context,
  place: Required<ItemPlace>,
): Promise<FoundItem | undefined> {
  const found = await findAnyItem(context, place)
  return found?.item.state === 'DELETED' ? undefined : found
}

/** The item as it is stored now, whatever its state; undefined if there is none. */
export async function findAnyItem(
  context: Context,
  place: Required<ItemPlace>,
): Promise<FoundItem | undefined> {
  const stored = await context.store.records.get(itemKey(place))
  return stored && itemIn(stored, place)
}

/**
 * The item as it is stored now. One that is marked as deleted is not there.
 * @throws NotFoundError for the vault if there is none, else for the item.
 */
export async function readItem(context: Context, place: Required<ItemPlace>): Promise<FoundItem> {
  return (await findItem(context, place)) ?? missing(context, place)
}

/**
 * The item as it is stored now, whatever its state.
 * @throws NotFoundError for the vault if there is none, else for the item.
 */
export async function readAnyItem(
  context: Context,
  place: Required<ItemPlace>,
): Promise<FoundItem> {
  return (await findAnyItem(context, place)) ?? missing(context, place)
}

/**
 * The head of the item's record as it is stored now; the item itself is not read.
 * @throws NotFoundError for the vault if there is none, else for the item.
 */
export async function readHead(context: Context, place: Required<ItemPlace>): Promise<ItemHead> {
  return (await findHead(context, place)) ?? missing(context, place)
}

/** The head of the item's record as it is stored now; undefined if there is no item, or if it is marked as deleted. */
export async function findHead(
  context: Context,
  place: Required<ItemPlace>,
): Promise<ItemHead | undefined> {
  const stored = await context.store.records.get(itemKey(place))
  const head = stored && parseHead(decodeRecord(stored.body).head)
  return head?.state === 'DELETED' ? undefined : head
}

/** The contents that the item names, whatever its state; undefined if there is no item. */
export async function namedBlobs(
  context: Context,
  place: Required<ItemPlace>,
): Promise<readonly string[] | undefined> {
  const stored = await context.store.records.get(itemKey(place))
  return stored && Object.values(parseHead(decodeRecord(stored.body).head).blobs)
}

/** What a record holds, if it lies where its item belongs. @throws StorageError otherwise. */
export function itemIn(stored: StoredRecord, { vaultId, itemId }: Required<ItemPlace>): FoundItem {
  const { head, text } = decodeRecord(stored.body)
  const item = parseItem(text)
  if (item.id !== itemId || item.vault.id !== vaultId) throw unreadable()
  if (item.version !== stored.version) throw unreadable()
  return { item, head, text }
}

async function missing(context: Context, { vaultId, itemId }: Required<ItemPlace>): Promise<never> {
  await requireVault(context, vaultId)
  throw new NotFoundError('item', itemId)
}
