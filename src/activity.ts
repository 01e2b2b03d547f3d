/**
 * Activity logs: which caller did what to which vault or item, and with which result.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createStoredActivityLog } from 'cofferkit/activity'
 * import { createMemoryStore } from 'cofferkit/memory'
 *
 * const store = createMemoryStore()
 * const service = createVaultService({ store, activity: createStoredActivityLog(store) })
 * ```
 * @module cofferkit/activity
 */

export {
  createActivityLog,
  createCallbackActivityLog,
  createMemoryActivityLog,
  type MemoryActivityLogOptions,
} from './activity/activity-logs.js'
export {
  createStoredActivityLog,
  type StoredActivityLogOptions,
} from './activity/stored-activity-log.js'
export type {
  ActivityEntriesOptions,
  ActivityQuery,
  ActivityStorage,
} from './core/runtime/activity-log.js'
