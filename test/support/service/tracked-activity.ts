/** An activity log in memory, whose entries a test reads, and which can fail. */

import { createActivityLog } from '../../../src/activity.js'
import type { ActivityEntry, ActivityLog } from '../../../src/index.js'

/** The log, and what it has recorded. */
export interface TrackedActivity {
  readonly log: ActivityLog
  /** Every entry that was passed to it, in that order. */
  readonly entries: readonly ActivityEntry[]
  /** Rejects the next entries with this error. */
  fail(error: Error): void
}

/** Creates the log. */
export function createTrackedActivity(): TrackedActivity {
  const entries: ActivityEntry[] = []
  let failure: Error | undefined
  const log = createActivityLog({
    async record(entry) {
      if (failure !== undefined) throw failure
      entries.push(entry)
    },
    async *entries() {
      yield* entries
    },
  })
  return {
    log,
    entries,
    fail(error) {
      failure = error
    },
  }
}
