/**
 * Remembers items that were parsed lately, each with the text it was parsed from.
 *
 * An item is recalled only for the very same text, so it is never older or newer than what the store has answered. It
 * is shared: nobody may change it.
 */

import type { ItemRecord, RecordText } from './item-record.js'

const mostCharacters = 4_194_304

/** What is remembered of items, by their ids. */
export interface ItemCache {
  /** The record that these lines were parsed to before; undefined if that is not remembered. */
  recall(itemId: string, lines: RecordText): ItemRecord | undefined
  /** Remembers the record of these lines, and forgets the ones that were not asked for longest. */
  keep(itemId: string, lines: RecordText, record: ItemRecord): void
  /** Remembers nothing of the item any more. */
  forget(itemId: string): void
}

interface Kept extends RecordText {
  readonly record: ItemRecord
}

/** A cache of items whose lines together are at most four million characters long. */
export function createItemCache(): ItemCache {
  const kept = new Map<string, Kept>()
  let characters = 0

  const forget = (itemId: string): void => {
    const old = kept.get(itemId)
    if (old === undefined) return
    kept.delete(itemId)
    characters -= lengthOf(old)
  }

  const keep = (itemId: string, entry: Kept): void => {
    forget(itemId)
    kept.set(itemId, entry)
    characters += lengthOf(entry)
    for (const oldest of kept.keys()) {
      if (characters <= mostCharacters) return
      forget(oldest)
    }
  }

  return {
    recall(itemId, { head, text }) {
      const found = kept.get(itemId)
      if (found === undefined || found.text !== text || found.head !== head) return undefined
      keep(itemId, found)
      return found.record
    },
    keep: (itemId, { head, text }, record) => keep(itemId, { head, text, record }),
    forget,
  }
}

function lengthOf({ head, text }: RecordText): number {
  return head.length + text.length
}
