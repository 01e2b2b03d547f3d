/** The context that every operation receives: store, dialect, limits, clock and randomness. */

import {
  anyStore,
  assertArgument,
  assertCallbacks,
  assertKnown,
  assertLike,
} from '../../base/assert-argument.js'
import type { OpenCalls } from '../../base/open-calls.js'
import { serviceOptionNames, type VaultServiceOptions } from '../options.js'
import type { ServiceActivity } from './activity-log.js'
import { createEncryptionCheck, type EncryptionCheck } from './encryption-check.js'
import { createVaultEvents, type VaultEvents } from './events.js'
import { createStoreGuard, type GuardedStore, guardStore } from './guard-store.js'
import { createItemContext, type ItemContext } from './item-context.js'
import {
  createKeyQueue,
  createOptimisticRetry,
  type KeyQueue,
  type OptimisticRetry,
} from './optimistic-retry.js'
import { createErrorReporter } from './report-error.js'
import { createUnreadableReporter, type UnreadableReports } from './report-unreadable.js'
import { createTracer, type Tracer } from './tracing.js'

/** The context of an operation. */
export interface Context extends ItemContext {
  readonly store: GuardedStore
  readonly encryptionCheck: EncryptionCheck
  readonly maxInlineBytes: number
  readonly beforeCreateVault: VaultServiceOptions['beforeCreateVault']
  readonly around: VaultServiceOptions['around']
  /** How many archived versions of an item are kept. */
  readonly history: number
  readonly queue: KeyQueue
  readonly retry: OptimisticRetry
  readonly activity: ServiceActivity | undefined
  readonly events: VaultEvents
  readonly tracer: Tracer | undefined
  readonly stats: ServiceStats
  /** Reports a record that is left out of a result to the operator. */
  readonly reportUnreadable: UnreadableReports['reportUnreadable']
  /** The calls of the service that are in progress. */
  readonly calls: OpenCalls
}

/** Counters of a service since it was created. */
export interface ServiceStats {
  /**
   * Writes that a concurrent writer prevented. Each was retried, except the last attempt of a call.
   */
  writeConflicts: number
  /** Calls of the store that failed or timed out. */
  storeErrors: number
}

/**
 * Creates the context of a service.
 * @throws TypeError if an option other than a number has the wrong type.
 * @throws RangeError if a numeric option is out of range.
 */
export function createContext(options: VaultServiceOptions): Context {
  assertKnown(options, serviceOptionNames)
  const { maxInlineFileSizeKb = 100, activity } = options
  if (!Number.isSafeInteger(maxInlineFileSizeKb) || maxInlineFileSizeKb < 0)
    throw new RangeError('maxInlineFileSizeKb must be a whole number of 0 or more')
  const { history = { maxVersions: 0 } } = options
  assertKnown(history, { maxVersions: true }, 'options.history')
  const { maxVersions } = history
  if (!Number.isInteger(maxVersions) || maxVersions < 0)
    throw new RangeError('history.maxVersions must be an integer of 0 or more')
  const stats: ServiceStats = { writeConflicts: 0, storeErrors: 0 }
  const guard = createStoreGuard(options.storeTimeoutMs, () => stats.storeErrors++)
  // Twice the timeout, so that a change can still be made behind one call that hangs.
  const queue = createKeyQueue(guard.timeoutMs * 2)
  assertLike(options.store, anyStore, 'options.store')
  const store = guardStore(options.store, guard)
  const itemContext = createItemContext(options)
  const { now, randomBytes } = itemContext
  assertCallbacks(options, 'beforeCreateVault', 'around', 'onError')
  const isLog = !activity || typeof activity.open === 'function'
  assertArgument(
    isLog,
    'options.activity',
    'the result of createActivityLog or another activity log',
  )
  const report = createErrorReporter(options.onError?.bind(options))
  return {
    ...itemContext,
    store,
    encryptionCheck: createEncryptionCheck(store.records, 'vaults'),
    maxInlineBytes: maxInlineFileSizeKb * 1024,
    beforeCreateVault: options.beforeCreateVault?.bind(options),
    around: options.around?.bind(options),
    history: maxVersions,
    queue,
    retry: createOptimisticRetry(queue, () => stats.writeConflicts++, options.retry),
    activity: activity?.open({ now, randomBytes, onError: report }),
    events: createVaultEvents(),
    tracer: createTracer(),
    stats,
    reportUnreadable: createUnreadableReporter(report),
    calls: { owner: 'the service', count: 0 },
  }
}
