/** The newest entries of a log, in memory. */

import { countLeading } from '../base/count-leading.js'
import type { ActivityEntry } from '../schema/activity-entry.js'
import { positionOf } from './entry-position.js'

/** An entry and its position. */
interface Slot {
  readonly entry: ActivityEntry
  readonly position: string
}

/** A sorted list that keeps only the newest entries. */
export interface SortedEntries {
  /** Adds an entry, or replaces the one with the same position. */
  put(entry: ActivityEntry): void
  /** Yields the kept entries after a position, newest first. */
  newestFirst(after: string): Generator<Slot, undefined>
}

/** Creates an empty list that keeps `size` entries. */
export function createSortedEntries(size: number): SortedEntries {
  /** Oldest first, so that a new entry is added at the end. */
  let slots: Slot[] = []
  /**
   * How many more entries may pile up before the oldest are removed, so that not every new entry
   * moves all others.
   */
  const surplus = Math.ceil(size / 8)

  /** Returns the number of entries that are older than this position. */
  function countOlder(position: string): number {
    return countLeading(slots, (slot) => slot.position > position)
  }

  return {
    put(entry) {
      const position = positionOf(entry)
      const index = countOlder(position)
      const isSame = slots[index]?.position === position
      slots.splice(index, Number(isSame), { entry, position })
      if (slots.length > size + surplus) slots = slots.slice(-size)
    },
    *newestFirst(after) {
      for (let position = after; ; ) {
        // The index is searched each time, because entries may be added between two steps.
        const index = countOlder(position) - 1
        const slot = slots[index]
        if (slot === undefined || index < slots.length - size) return undefined
        yield slot
        position = slot.position
      }
    },
  }
}

/** Yields the entries of two lists, newest first. */
export function* mergeNewestFirst(
  left: Generator<Slot, undefined>,
  right: Generator<Slot, undefined>,
): Generator<ActivityEntry, undefined> {
  let one = left.next().value
  let other = right.next().value
  for (;;) {
    const isOneNext = one !== undefined && (other === undefined || one.position < other.position)
    const next = isOneNext ? one : other
    if (next === undefined) return undefined
    yield next.entry
    if (isOneNext) one = left.next().value
    else other = right.next().value
  }
}
