/**
 * The records of the items that this process has written last. The next change of such an item is
 * made without reading it first.
 *
 * Records are kept as text. Parsed items would have to be copied, because answers must not share
 * objects with them, and what survives in memory only to be replaced costs a garbage collector more
 * than parsing: with them, requests over HTTP took 1.1 times as long as without a cache.
 */

import type { RecordKey } from '../../store.js'

/** How many records of items a service keeps in memory. */
export interface CacheOptions {
  /** The maximum number of records: an integer of 1 or more. */
  readonly items: number
  /** The size of the largest record that is kept, in bytes: 1 or more; 16,384 if absent. */
  readonly maxRecordBytes?: number
}

/**
 * Records as this process has written them, as text. Other processes write too, so what is made
 * from a record must only be stored by a `put` over its version.
 */
export interface ItemCache {
  /** Removes a record and returns it; undefined if it is not in the cache. */
  take(key: RecordKey): string | undefined
  /** Adds a record of this number of bytes that was written. It displaces the one in its slot. */
  add(key: RecordKey, record: string, bytes: number): void
  /** Removes everything. */
  clear(): void
}

interface Entry {
  readonly key: RecordKey
  readonly record: string
}

/**
 * Creates an empty cache. Each item belongs to one slot, so a write displaces at most one other.
 * @throws RangeError if an option is out of range.
 */
export function createItemCache({ items, maxRecordBytes = 16_384 }: CacheOptions): ItemCache {
  if (!Number.isInteger(items) || items < 1)
    throw new RangeError('cache.items must be an integer of 1 or more')
  if (!(maxRecordBytes >= 1)) throw new RangeError('cache.maxRecordBytes must be 1 or more')
  const slots = new Map<number, Entry>()
  // Ids are random.
  const slotOf = ({ id }: RecordKey): number => Number.parseInt(id.slice(0, 8), 36) % items
  return {
    take(key) {
      const slot = slotOf(key)
      const entry = slots.get(slot)
      if (entry?.key.id !== key.id || entry.key.collection !== key.collection) return undefined
      slots.delete(slot)
      return entry.record
    },
    add(key, record, bytes) {
      if (bytes <= maxRecordBytes) slots.set(slotOf(key), { key, record })
    },
    clear: () => slots.clear(),
  }
}
