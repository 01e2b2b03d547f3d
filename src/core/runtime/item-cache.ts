/**
 * The items of the last writes, so that the next change of such an item neither parses it nor, if
 * no other process has changed it, reads it.
 */

import type { ItemRef } from '../../schema/ids.js'
import type { Item } from '../../schema/item.js'
import type { StoredRecord } from '../../store.js'

/** How many items a service keeps in memory. */
export interface CacheOptions {
  /** The maximum number of items: an integer of 1 or more. */
  readonly items: number
  /**
   * The size of the largest record that is kept, in bytes: 1 or more; 16,384 if absent. An item
   * takes about five times as much memory as its record.
   */
  readonly maxRecordBytes?: number
}

/** An item and the lines of its record, with the record itself. */
export interface CachedItem {
  readonly stored: { readonly item: Item; readonly header: string; readonly text: string }
  readonly record: StoredRecord
}

/**
 * Items as this process has written them last. Other processes write too, so an item must not be
 * used before the store has confirmed it: by an equal record, or by a `put` over its version.
 */
export interface ItemCache {
  /**
   * Removes an item and returns it, so that nothing else refers to its objects; undefined if it is
   * not in the cache.
   */
  take(ref: ItemRef): CachedItem | undefined
  /**
   * Adds a copy of an item that was written as this body. Of the first write of an item only its id
   * is kept, because most items are written once.
   */
  add(stored: CachedItem['stored'], body: Uint8Array): void
  /** Removes everything. */
  clear(): void
}

/**
 * Creates an empty cache. Each item belongs to one slot, so a write displaces at most one other.
 * @throws RangeError if an option is out of range.
 */
export function createItemCache({ items, maxRecordBytes = 16_384 }: CacheOptions): ItemCache {
  if (!Number.isInteger(items) || items < 1)
    throw new RangeError('cache.items must be an integer of 1 or more')
  if (!(maxRecordBytes >= 1)) throw new RangeError('cache.maxRecordBytes must be 1 or more')
  const slots = new Map<number, CachedItem>()
  /** The id of the item that was written last, by slot. */
  const lastIds = new Map<number, string>()
  // Ids are random.
  const slotOf = (itemId: string): number => Number.parseInt(itemId.slice(0, 8), 36) % items
  return {
    take({ vaultId, itemId }) {
      const slot = slotOf(itemId)
      const cached = slots.get(slot)
      if (cached?.stored.item.id !== itemId) return undefined
      slots.delete(slot)
      return cached.stored.item.vault.id === vaultId ? cached : undefined
    },
    add({ item, header, text }, body) {
      const slot = slotOf(item.id)
      const isFirst = lastIds.get(slot) !== item.id
      lastIds.set(slot, item.id)
      if (isFirst || body.length > maxRecordBytes) return
      const stored = { item: copyItem(item), header, text }
      slots.set(slot, { stored, record: { version: item.version, body } })
    },
    clear() {
      slots.clear()
      lastIds.clear()
    },
  }
}

/** Returns true if both records have the same version and the same bytes. */
export function isSameRecord(one: StoredRecord, other: StoredRecord): boolean {
  const { version, body } = one
  if (version !== other.version || body.length !== other.body.length) return false
  if (body === other.body) return true
  // `every` takes nine times as long.
  for (let index = 0; index < body.length; index++)
    if (body[index] !== other.body[index]) return false
  return true
}

/**
 * Returns a copy that shares no object with the item. It follows the shape of `itemSchema`, which
 * takes a tenth of the time that parsing takes, and a tenth of that of a copy of any JSON.
 */
function copyItem(item: Item): Item {
  return {
    ...item,
    vault: { ...item.vault },
    tags: [...item.tags],
    urls: item.urls.map((url) => ({ ...url })),
    sections: item.sections.map((section) => ({ ...section })),
    fields: item.fields.map(copyWithSection),
    files: item.files.map(copyWithSection),
  }
}

function copyWithSection<Part extends { readonly section?: object }>(part: Part): Part {
  const { section } = part
  return section === undefined ? { ...part } : { ...part, section: { ...section } }
}
