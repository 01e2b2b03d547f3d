/** Makes an activity log of two functions. */

import { anyFunction, assertLike } from '../assert-argument.js'
import type { ActivityLog, ActivityStorage } from '../core/activity-log.js'
import { createActivityRecorder } from './activity-recorder.js'
import { listEntries } from './list-entries.js'
import { createRejectionQuota } from './rejection-quota.js'

/**
 * Creates a log that stores its entries in a storage of your own.
 * @returns A log with the functions of `storage`, which it calls as methods.
 * @throws TypeError if `storage` has no functions `record` and `entries`.
 */
export function createActivityLog(storage: ActivityStorage): ActivityLog {
  assertLike(storage, { record: anyFunction, entries: anyFunction }, 'storage')
  return {
    record: (entry) => storage.record(entry),
    entries: () => storage.entries(),
    // The methods of `this`: those of a copy of the log can be replaced.
    open(source) {
      const options = { log: this, source, rejections: createRejectionQuota() }
      return {
        start: (...call) => createActivityRecorder(options, ...call),
        list: (...input) => listEntries(this, ...input),
      }
    },
  }
}
