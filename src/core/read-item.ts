/** Finds an item, or says what of it is missing: the vault or the item. */

import type { ItemPlace } from '../dialects/dialect.js'
import { NotFoundError } from '../errors.js'
import type { StoredRecord } from '../store.js'
import type { Context } from './context.js'
import type { ItemCache } from './item-cache.js'
import { decodeRecord, type ItemRecord, itemKey, parseRecord } from './item-record.js'
import { readVault } from './read-vault.js'
import { unreadable } from './stored-json.js'

/** An item that was found, and its own text as it is stored. */
export interface FoundItem extends ItemRecord {
  readonly text: string
}

/**
 * The item as it is stored now. One that is marked as deleted is not there.
 * @throws NotFoundError for the vault if there is none, else for the item.
 */
export async function readItem(context: Context, place: Required<ItemPlace>): Promise<FoundItem> {
  const stored = await context.store.records.get(itemKey(place))
  const found = stored && foundIn(stored, place, context.cache)
  if (found === undefined || found.item.state === 'DELETED') {
    await readVault(context, place.vaultId)
    throw new NotFoundError('item', place.itemId)
  }
  return found
}

/** What a record holds, if it lies where its item belongs. @throws StorageError otherwise. */
export function foundIn(
  stored: StoredRecord,
  { vaultId, itemId }: Required<ItemPlace>,
  cache?: ItemCache,
): FoundItem {
  const lines = decodeRecord(stored.body)
  const recalled = cache?.recall(itemId, lines)
  const { item, blobs } = recalled ?? parseRecord(lines)
  if (item.id !== itemId || item.vault.id !== vaultId || item.version !== stored.version)
    throw unreadable()
  if (recalled === undefined) cache?.keep(itemId, lines, { item, blobs })
  return { item, blobs, text: lines.text }
}
