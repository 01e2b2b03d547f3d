/** Activity logs: with your own storage, in memory, and with a callback. */

import { anyFunction, callback, integer, like, text } from '../base/argument.js'
import { defineOptions, type OptionKinds, optional } from '../base/options.js'
import type {
  ActivityEntriesOptions,
  ActivityLog,
  ActivityStorage,
  OpenableLog,
  RecordTransaction,
  ServiceActivity,
} from '../core/runtime/activity-log.js'
import type { ActivityEntry } from '../schema/activity-entry.js'
import { createActivityRecorder } from './activity-recorder.js'
import { startPosition } from './entry-position.js'
import { listEntries } from './list-entries.js'
import { createRejectionQuota } from './rejection-quota.js'
import { createRequestIds } from './request-ids.js'
import { createSortedEntries, mergeNewestFirst } from './sorted-entries.js'

/**
 * Creates a log that keeps its entries in your own storage.
 * @returns A log that calls `record` and `entries` as methods of `storage`.
 * @throws TypeError if `storage` has no functions `record` and `entries`.
 * @example
 * ```ts
 * import { createActivityLog } from 'cofferkit/activity'
 *
 * const activity = createActivityLog({
 *   record: (entry) => table.upsert(`${entry.requestId}/${entry.resource.item?.id ?? ''}`, entry),
 *   entries: () => table.newestFirst(),
 * })
 * ```
 */
export function createActivityLog(storage: ActivityStorage): ActivityLog {
  like({ record: anyFunction, entries: anyFunction })(storage, 'storage')
  return createOpenableLog(storage)
}

const entriesOptions = defineOptions({
  vaultId: optional(text()),
  since: optional(text()),
  until: optional(text()),
  after: optional(text()),
  pageSize: optional(integer({ min: 1 })),
  onUnreadable: optional(callback()),
} satisfies OptionKinds<ActivityEntriesOptions>)

/** Returns the log with the members that services call. */
export function createOpenableLog(storage: ActivityStorage): OpenableLog {
  const newRequestId = createRequestIds()
  return {
    record: (entry, pending) => storage.record(entry, pending),
    entries(options) {
      if (options !== undefined) entriesOptions.read(options)
      return storage.entries(options)
    },
    // Calls the methods of `this`, so that a copy of the log can replace them.
    open(source) {
      const rejections = createRejectionQuota()
      const openIn = (transaction?: RecordTransaction): ServiceActivity => {
        const options = { log: this, source, newRequestId, rejections, transaction }
        return {
          start: (call) => createActivityRecorder(options, call),
          list: (...input) => listEntries(this, ...input),
          inTransaction: openIn,
        }
      }
      return openIn()
    },
  }
}

/** Options of `createMemoryActivityLog`. */
export interface MemoryActivityLogOptions {
  /** How many entries of known callers are kept, an integer of 1 or more. Default: 1,000. */
  readonly maxEntries?: number | undefined
}

const memoryLogOptions = defineOptions({
  maxEntries: optional(integer({ min: 1 }), 1000),
} satisfies OptionKinds<MemoryActivityLogOptions>)

/**
 * Creates a log that keeps the newest entries in memory, for tests and small services. Rejected
 * calls of unknown callers have their own capacity, a tenth of `maxEntries`, so they cannot push
 * out other entries.
 * @throws TypeError if `options` is not an object.
 * @throws RangeError if `maxEntries` is out of range.
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createMemoryActivityLog } from 'cofferkit/activity'
 *
 * const service = createVaultService({ store, activity: createMemoryActivityLog() })
 * const { entries } = await service.listActivity(caller, { limit: 10 })
 * ```
 */
export function createMemoryActivityLog(options: MemoryActivityLogOptions = {}): ActivityLog {
  const { maxEntries } = memoryLogOptions.read(options)
  const known = createSortedEntries(maxEntries)
  const unknown = createSortedEntries(Math.ceil(maxEntries / 10))
  return createActivityLog({
    async record(entry) {
      const entries = entry.actor.id === '' ? unknown : known
      entries.put(entry)
    },
    async *entries(options = {}) {
      const start = startPosition(options)
      yield* mergeNewestFirst(known.newestFirst(start), unknown.newestFirst(start))
    },
  })
}

/**
 * Creates a log that calls `record` with each entry, for example to write it to your own log. A
 * change is recorded twice, see {@link ActivityStorage}. Each call waits for `record`, and fails if
 * it throws or rejects.
 * @returns A log that cannot list its entries.
 * @throws TypeError if `record` is not a function.
 * @example
 * ```ts
 * import { createCallbackActivityLog } from 'cofferkit/activity'
 *
 * const activity = createCallbackActivityLog((entry) => console.log(JSON.stringify(entry)))
 * ```
 */
export function createCallbackActivityLog(record: (entry: ActivityEntry) => unknown): ActivityLog {
  callback()(record, 'record')
  return createActivityLog({
    async record(entry) {
      await record(entry)
    },
    async *entries() {},
  })
}
