/** Where the activity of a vault service is recorded: in memory, or wherever an embedder wants it. */

import type { ActivityEntry } from '../schema/activity.js'

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
 * A log that keeps the newest entries in memory, for tests and small services.
 * @throws RangeError if `keep` is not a whole number, 1 or more.
 */
export function createMemoryActivityLog(options: { readonly keep?: number } = {}): ActivityLog {
  const { keep = 1000 } = options
  if (!Number.isInteger(keep) || keep < 1) throw new RangeError('keep must be 1 or more')
  const ring: ActivityEntry[] = []
  return {
    async record(entry) {
      ring.push(entry)
      if (ring.length > keep) ring.shift()
    },
    async *entries() {
      yield* ring.toReversed()
    },
  }
}

/**
 * A log that hands each entry to `record`, which may be a stream of an operator's own, and waits for it. Nothing can
 * be listed here.
 */
export function createActivityLog(record: (entry: ActivityEntry) => unknown): ActivityLog {
  return {
    async record(entry) {
      await record(entry)
    },
    async *entries() {},
  }
}
