/** Where the activity of a vault service is recorded: in memory, or wherever an embedder wants it. */

import type { ActivityEntry } from '../../schema/activity.js'

/** Keeps what was done. */
export interface ActivityLog {
  /**
   * Resolves when the entry is kept. Where it rejects, or takes more than ten seconds, the operation that the entry
   * speaks of fails with 503.
   */
  record(entry: ActivityEntry): Promise<void>
  /** The entries that are kept, newest first. */
  entries(): AsyncIterable<ActivityEntry>
}

/**
 * A log that keeps the newest entries in memory, for tests and small services. Besides `maxEntries` entries of known callers it
 * keeps a tenth as many refusals of unknown ones, which so push out only each other.
 * @throws RangeError if `maxEntries` is not a whole number, 1 or more.
 */
export function createMemoryActivityLog(
  options: { readonly maxEntries?: number } = {},
): ActivityLog {
  const { maxEntries = 1000 } = options
  if (!Number.isInteger(maxEntries) || maxEntries < 1)
    throw new RangeError('maxEntries must be 1 or more')
  const known = createRing(maxEntries)
  const unknown = createRing(Math.ceil(maxEntries / 10))
  let count = 0
  return {
    async record(entry) {
      const ring = entry.actor.id === '' ? unknown : known
      ring.add({ entry, at: count++ })
    },
    async *entries() {
      const kept = [...known.kept, ...unknown.kept].sort((one, other) => other.at - one.at)
      for (const { entry } of kept) yield entry
    },
  }
}

/**
 * A log that hands each entry to `record`, which may be a stream of an operator's own, and waits for it. Nothing can
 * be listed here.
 */
export function createCallbackActivityLog(record: (entry: ActivityEntry) => unknown): ActivityLog {
  return {
    async record(entry) {
      await record(entry)
    },
    async *entries() {},
  }
}

/** An entry, and how many came before it. */
interface Kept {
  readonly entry: ActivityEntry
  readonly at: number
}

/** Keeps the newest `size`, in no order. */
function createRing(size: number): { readonly kept: readonly Kept[]; add(one: Kept): void } {
  const kept: Kept[] = []
  let next = 0
  return {
    kept,
    add(one) {
      kept[next] = one
      next = (next + 1) % size
    },
  }
}
