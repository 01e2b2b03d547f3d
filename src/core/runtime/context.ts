/** What every operation is handed: storage, dialect, limits, clock and randomness. */

import { contractDialect } from '../../dialects/contract.js'
import type { Dialect } from '../../dialects/dialect.js'
import { StorageUnavailableError } from '../../errors.js'
import type { ActivityLog } from '../../schema/activity.js'
import type { VaultStore } from '../../store.js'
import type { ChangeHooks } from './change-hooks.js'
import { createVaultEvents, type VaultEvents } from './events.js'
import { createStoreGuard, type GuardedStore, guardStore } from './guard-store.js'
import { type Limits, resolveLimits } from './limits.js'
import { createKeyQueue, type KeyQueue } from './optimistic-retry.js'
import { createRandomBytes, type RandomBytes } from './random.js'
import { createRejectionQuota, type RejectionQuota } from './rejection-quota.js'
import { createTracer, type Tracer } from './tracing.js'

/** How a vault service is made. */
export interface VaultServiceOptions {
  /** Where everything is kept. */
  readonly store: VaultStore
  /**
   * Milliseconds until a call of the store that has not settled has failed, with 503 `STORAGE_UNAVAILABLE`: more than 0,
   * Infinity for no limit; 30,000 if absent. Each read of a content counts as a call, and so does each time that the
   * store keeps an upload waiting; while the client is waited for, no time counts. A change that has waited more than
   * twice as long for the earlier changes of its record is refused with the same error, and is not made.
   */
  readonly storeTimeoutMs?: number
  /** The largest file whose content is answered inline, in KB of 1,024 bytes; 0 or more, 100 if absent. */
  readonly maxInlineFileSizeKb?: number
  /** How bodies are read; the contract's letter if absent. */
  readonly dialect?: Dialect
  /** Bounds, each with its default if absent. */
  readonly limits?: Partial<Limits>
  /**
   * How many of the versions that its changes have replaced are kept of each item, beside it and until it is deleted;
   * none if absent. Fewer than before: the surplus goes when the item is changed next.
   */
  readonly history?: { readonly maxVersions: number }
  /**
   * Where every call of an operation is recorded, allowed or refused: before its change is made, or before its answer
   * leaves. Nothing is done or answered that the log does not take. Refusals of unknown callers are recorded up to 60 a
   * minute, and counted beyond that. Nothing is recorded if absent.
   */
  readonly activity?: ActivityLog
  /** The clock; the system's if absent. Outside of the years 0000 to 9999 nothing is written, and calls that write fail with 503. */
  readonly now?: () => Date
  /** The source of ids and generated values; the platform's cryptographic generator if absent. */
  readonly randomBytes?: RandomBytes
}

/** What every operation is handed. */
export interface Context {
  readonly store: GuardedStore
  readonly maxInlineBytes: number
  readonly dialect: Dialect
  readonly limits: Limits
  /** How many replaced versions of an item are kept. */
  readonly history: number
  /** Never outside of the years that are read again. @throws StorageError of 503 if the clock is. */
  readonly now: () => Date
  readonly randomBytes: RandomBytes
  readonly queue: KeyQueue
  readonly activity?: RecordedActivity
  readonly events: VaultEvents
  readonly tracer: Tracer | undefined
  readonly stats: ServiceStats
  /** Who sees the changes of this call; absent outside of one. */
  readonly hooks?: ChangeHooks
}

/** Where calls are recorded. */
export interface RecordedActivity {
  readonly log: ActivityLog
  /** Of refusals of unknown callers. */
  readonly rejections: RejectionQuota
}

/** What has happened since the service was made. */
export interface ServiceStats {
  /** Changes that somebody else came before; each was tried again, but for the last try of too many. */
  writeConflicts: number
  /** Calls of the store that failed, or did not settle in time. */
  storeErrors: number
}

/** @throws RangeError if a number among the options is none that can be meant. */
export function createContext(options: VaultServiceOptions): Context {
  const { maxInlineFileSizeKb = 100, activity } = options
  if (!Number.isFinite(maxInlineFileSizeKb) || maxInlineFileSizeKb < 0) {
    throw new RangeError('maxInlineFileSizeKb must be 0 or more')
  }
  const { maxVersions } = options.history ?? { maxVersions: 0 }
  if (!Number.isInteger(maxVersions) || maxVersions < 0)
    throw new RangeError('history.maxVersions must be a whole number, 0 or more')
  const stats: ServiceStats = { writeConflicts: 0, storeErrors: 0 }
  const guard = createStoreGuard(options.storeTimeoutMs, () => stats.storeErrors++)
  return {
    store: guardStore(options.store, guard),
    maxInlineBytes: maxInlineFileSizeKb * 1024,
    dialect: options.dialect ?? contractDialect,
    limits: resolveLimits(options.limits),
    history: maxVersions,
    now: validateClock(options.now ?? (() => new Date())),
    randomBytes: options.randomBytes ?? createRandomBytes(),
    // Behind one call that hangs, the next change is still made.
    queue: createKeyQueue(guard.timeoutMs * 2),
    ...(activity && { activity: { log: activity, rejections: createRejectionQuota() } }),
    events: createVaultEvents(),
    tracer: createTracer(),
    stats,
  }
}

/** A date of another year has five digits or a sign, and is not read again. */
function validateClock(now: () => Date): () => Date {
  return () => {
    const date = now()
    const year = date.getUTCFullYear()
    if (year >= 0 && year <= 9999) return date
    const message = 'the clock is not within the years 0000 to 9999'
    throw new StorageUnavailableError(message)
  }
}
