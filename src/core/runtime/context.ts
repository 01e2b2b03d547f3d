/** The context that every operation receives: store, dialect, limits, clock and randomness. */

import { anyStore, callback, integer, like } from '../../base/argument.js'
import type { OpenCalls } from '../../base/open-calls.js'
import { defineOptions, nested, type OptionKinds, optional } from '../../base/options.js'
import type { StoreHealth, TransactionClient, VaultStore } from '../../store.js'
import type { VaultServiceOptions } from '../options.js'
import { openableLog, type ServiceActivity } from './activity-log.js'
import { createEncryptionCheck, type EncryptionCheck } from './encryption-check.js'
import { createVaultEvents, type VaultEvents } from './events.js'
import {
  createStoreGuard,
  type GuardedStore,
  guardStore,
  storeTimeoutMs,
  wrapStoreErrors,
} from './guard-store.js'
import { createItemContext, type ItemContext, itemOptionKinds } from './item-context.js'
import {
  createKeyQueue,
  createOptimisticRetry,
  type KeyQueue,
  type OptimisticRetry,
  retryOptions,
} from './optimistic-retry.js'
import { createErrorReporter } from './report-error.js'
import { createUnreadableReporter, type UnreadableReports } from './report-unreadable.js'
import { createTracer, type Tracer } from './tracing.js'
import { joinTransaction, type ServiceTransaction } from './transaction.js'

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
  /** Tells the operator about a record that is left out of a result. */
  readonly reportUnreadable: UnreadableReports['reportUnreadable']
  /** The calls of the service that are in progress. */
  readonly calls: OpenCalls
  /**
   * Rejects with the error of the store or of the activity log, if this process cannot use the
   * stored data or cannot record its calls.
   */
  checkHealth(): Promise<void>
  /** The transaction that all calls are part of. Undefined outside transactions. */
  readonly transaction?: ServiceTransaction
  /**
   * Returns the context for calls in a transaction: the same, but with the records in the
   * transaction, without listeners, and with its own queue, because an earlier call outside may be
   * waiting for the transaction.
   * @throws TypeError like `joinTransaction`.
   */
  inTransaction(client: TransactionClient): Context
}

const historyOptions = defineOptions({
  maxVersions: integer({ min: 0 }),
} satisfies OptionKinds<NonNullable<VaultServiceOptions['history']>>)

/** The definition of {@link VaultServiceOptions}. */
export const serviceOptions = defineOptions({
  ...itemOptionKinds,
  store: like(anyStore),
  storeTimeoutMs,
  maxInlineFileSizeKb: optional(integer({ min: 0 }), 100),
  retry: nested(retryOptions),
  beforeCreateVault: optional(callback()),
  around: optional(callback()),
  history: optional(historyOptions.read, { maxVersions: 0 }),
  activity: optional(openableLog),
  onError: optional(callback()),
} satisfies OptionKinds<VaultServiceOptions>)

/** Counters of a service since it was created. */
export interface ServiceStats {
  /**
   * How many writes lost against a concurrent writer. Each was retried, except the last attempt of
   * a call.
   */
  writeConflicts: number
  /** How many calls to the store failed or timed out. */
  storeErrors: number
}

/**
 * Creates the context of a service.
 * @throws TypeError if an option is unknown or has the wrong type.
 * @throws RangeError if a number is out of range.
 */
export function createContext(given: VaultServiceOptions): Context {
  const options = serviceOptions.read(given)
  const stats: ServiceStats = { writeConflicts: 0, storeErrors: 0 }
  const guard = createStoreGuard(options.storeTimeoutMs, () => stats.storeErrors++)
  // Twice the timeout, so that a change can still be made behind one call that hangs.
  const queue = createKeyQueue(guard.timeoutMs * 2)
  const store = guardStore(options.store, guard)
  const itemContext = createItemContext(options)
  const { now, randomBytes } = itemContext
  const report = createErrorReporter(options.onError)
  const createRetry = (queue: KeyQueue): OptimisticRetry =>
    createOptimisticRetry(queue, () => stats.writeConflicts++, options.retry)
  const context: Context = {
    ...itemContext,
    store,
    encryptionCheck: createEncryptionCheck(store.records),
    maxInlineBytes: options.maxInlineFileSizeKb * 1024,
    beforeCreateVault: options.beforeCreateVault,
    around: options.around,
    history: options.history.maxVersions,
    queue,
    retry: createRetry(queue),
    activity: options.activity?.open({ now, randomBytes, onError: report }),
    events: createVaultEvents(),
    tracer: createTracer(),
    stats,
    reportUnreadable: createUnreadableReporter(report),
    calls: { owner: 'the service', count: 0 },
    async checkHealth() {
      const given: VaultStore & StoreHealth = options.store
      const { activity } = options
      await wrapStoreErrors(async () => given.checkHealth?.(), guard)
      await wrapStoreErrors(async () => activity?.checkHealth?.(), guard)
    },
    inTransaction(client) {
      const transaction = joinTransaction(options.store, guard, client)
      const queue = createKeyQueue(guard.timeoutMs * 2)
      return {
        ...context,
        transaction,
        store: transaction.store,
        ...{ queue, retry: createRetry(queue) },
        activity: context.activity?.inTransaction(transaction),
        events: createVaultEvents(),
      }
    },
  }
  return context
}
