/** Watches the changes of all processes that share a store, by their activity log. */

import { isLogRecordId, logCollection, timeOfId } from '../activity/log-records.js'
import { anyFunction, anyStore, assertKnown, assertLike } from '../base/assert-argument.js'
import type { Caller } from '../core/access/caller.js'
import { createStoreGuard, guardStore } from '../core/runtime/guard-store.js'
import { InvalidInputError } from '../errors.js'
import type { RecordStore, VaultStore } from '../store.js'
import type { Change } from './change.js'
import { createHeldChanges } from './held-changes.js'
import { createLogReader, recordMs, tooOldError } from './read-log.js'

/** Options of `watchChanges`. */
export interface WatchOptions {
  /** The store of the log: that of `createStoredActivityLog`, which all services use. */
  readonly log: VaultStore
  /** The records of the vault: `store.records` of the service. Only versions are read. */
  readonly items: RecordStore
  /**
   * Receives the changes of the vaults that it can read. `can` is called with `listActivity` as the
   * operation, and again while changes are delivered.
   */
  readonly caller: Caller
  /**
   * The `id` of the last change that was received. Changes of the two minutes before it are
   * delivered again, because they are not delivered in the order of the log. If
   * absent, the changes of the last two minutes are delivered.
   */
  readonly since?: string | undefined
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds between two looks at the log, 1 to 60,000; 1,000 if absent. */
  readonly pollMs?: number
  /**
   * By how many milliseconds the clocks of processes can differ, 0 to 3,600,000; 60,000 if absent.
   * Each look at the log reads the changes of this time again.
   */
  readonly windowMs?: number
  /**
   * Milliseconds after which a change is delivered although it may not have been made, 1 to
   * 3,600,000; 60,000 if absent. Must be longer than `storeTimeoutMs` of the services.
   */
  readonly holdMs?: number
  /** Called once, when the log has been read for the first time. */
  readonly onStart?: (() => void) | undefined
  /** The clock; that of the host if absent. */
  readonly now?: () => Date
}

const ranges = {
  pollMs: [1, 60_000],
  windowMs: [0, 3_600_000],
  holdMs: [1, 3_600_000],
} as const

/**
 * Watches the changes of vaults and items that any process makes. Each is delivered at least once,
 * and after it was made: what is read after a change was received is not older than the change. The
 * versions of one vault or item are delivered in their order. The same change can be delivered
 * again, with the same id. A change that a writer neither made nor gave up within `holdMs` is
 * delivered after that time, and again when it is made after all.
 *
 * The iteration rejects with the error of the log's store if that fails, with an InvalidInputError
 * (400, `since`) if `since` is not the id of a change or is older than the log, and with the error
 * of `caller.can`. A record of the vault that cannot be read only delays its own changes, by
 * `holdMs`.
 * @throws TypeError if an option is unknown or has the wrong type; RangeError if a number is out of
 * range.
 */
export function watchChanges(options: WatchOptions): AsyncIterable<Change> {
  assertWatchOptions(options)
  const { pollMs = 1000, windowMs = 60_000, holdMs = 60_000, now = () => new Date() } = options
  const startedAt = now().getTime()
  const settings = { ...options, pollMs, windowMs, holdMs, now, startedAt }
  return { [Symbol.asyncIterator]: () => iterateChanges(settings) }
}

type Settings = WatchOptions &
  Required<Pick<WatchOptions, 'pollMs' | 'windowMs' | 'holdMs' | 'now'>> & {
    readonly startedAt: number
  }

async function* iterateChanges(settings: Settings): AsyncGenerator<Change, undefined> {
  const { items, caller, since, signal, pollMs, windowMs, holdMs, now, startedAt } = settings
  const { records } = guardStore(settings.log, createStoreGuard())
  const start = since === undefined ? startedAt : await findTime(records, since)
  // Whatever was recorded earlier was delivered, or released, before `since` was.
  const from = start - windowMs - holdMs - recordMs - 2 * pollMs
  const readLog = createLogReader(records, { from, windowMs, now })
  const heldChanges = createHeldChanges({ items, holdMs, windowMs, now })
  const canRead = createPermissionCheck(caller, pollMs)
  for (let isStarted = false; !signal?.aborted; isStarted = true) {
    const listing = await readLog()
    heldChanges.add(listing)
    const isCurrent = listing.until === Number.POSITIVE_INFINITY
    // The next listing completes a change, so this one is not delayed until the next look.
    if (isCurrent && listing.changes.length > 0) heldChanges.add(await readLog())
    if (!isStarted) settings.onStart?.()
    for (const change of await heldChanges.release()) {
      if (signal?.aborted) return
      if (await canRead(change.vaultId)) yield change
    }
    if (isCurrent) await pause(pollMs, signal)
  }
}

/** Returns the time of the entry of a change. @throws InvalidInputError if it does not exist. */
async function findTime(records: RecordStore, id: string): Promise<number> {
  if (!isLogRecordId(id)) throw InvalidInputError.at('since', 'must be the id of a change')
  if ((await records.get({ collection: logCollection, id })) === undefined) throw tooOldError()
  return timeOfId(id)
}

/** Creates the check whether the caller can read a vault. A result is used for `maxAgeMs`. */
function createPermissionCheck(
  caller: Caller,
  maxAgeMs: number,
): (vaultId: string) => Promise<boolean> {
  const checks = new Map<string, boolean>()
  let checkedAt = 0
  return async (vaultId) => {
    if (performance.now() - checkedAt >= maxAgeMs) checks.clear()
    if (checks.size === 0) checkedAt = performance.now()
    const canRead =
      checks.get(vaultId) ?? (await caller.can('read', vaultId, 'listActivity')) === true
    checks.set(vaultId, canRead)
    return canRead
  }
}

/** Waits for a time, or until the signal is aborted. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal?.addEventListener('abort', end)
  })
}

function assertWatchOptions(options: WatchOptions): void {
  assertKnown<WatchOptions>(options, {
    ...{ log: true, items: true, caller: true, since: true, signal: true, pollMs: true },
    ...{ windowMs: true, holdMs: true, onStart: true, now: true },
  })
  const {
    log,
    items,
    caller,
    since = '',
    signal,
    onStart = anyFunction,
    now = anyFunction,
  } = options
  assertLike(log, anyStore, 'options.log')
  assertLike(items, anyStore.records, 'options.items')
  assertLike(caller, { can: anyFunction }, 'options.caller')
  assertLike(since, '', 'options.since')
  if (signal !== undefined)
    assertLike(signal, { aborted: true, addEventListener: anyFunction }, 'options.signal')
  assertLike(onStart, anyFunction, 'options.onStart')
  assertLike(now, anyFunction, 'options.now')
  for (const [name, [min, max]] of Object.entries(ranges)) {
    const number: unknown = Reflect.get(options, name) ?? min
    if (typeof number !== 'number' || !(number >= min && number <= max))
      throw new RangeError(`${name} must be a number from ${min} to ${max}`)
  }
}
