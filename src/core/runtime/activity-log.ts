/** The activity log of a service. `cofferkit/activity` implements it. */

import type { DecryptionError } from '../../errors.js'
import type {
  ActivityAction,
  ActivityEntry,
  ActivityPage,
  ActivityResource,
} from '../../schema/activity-entry.js'
import type { Caller, ClientInfo } from '../access/caller.js'
import type { Change } from './change.js'
import type { RandomBytes } from './random.js'
import type { UnreadableError } from './report-unreadable.js'

/** Stores and lists activity entries. */
export interface ActivityStorage {
  /**
   * Stores an entry. The operation fails with 503 (`ACTIVITY_UNAVAILABLE`) if this rejects or does
   * not resolve within ten seconds.
   */
  record(entry: ActivityEntry): Promise<void>
  /** Returns the stored entries in descending order of time. */
  entries(options?: ActivityEntriesOptions): AsyncIterable<ActivityEntry>
}

/** Options of `entries`. */
export interface ActivityEntriesOptions {
  /**
   * Called with the error of each unreadable entry, which is then left out. If absent, the iteration
   * fails with that error.
   */
  readonly onUnreadable?: ((error: DecryptionError) => void) | undefined
}

/** A log of calls. The functions of `cofferkit/activity` create it. */
export interface ActivityLog extends ActivityStorage {
  /**
   * Opens the log for a service, which stores the entries of its calls with `record` and lists
   * those of `entries`. Only services call this.
   * @internal
   */
  open(source: ActivitySource): ServiceActivity
}

/** The clock and the randomness of a service. */
export interface ActivitySource {
  readonly now: () => Date
  readonly randomBytes: RandomBytes
}

/** The activity of one service. */
export interface ServiceActivity {
  /**
   * Starts to record a call.
   * @param client - The client of a call over HTTP; undefined for a call in process.
   * @param ids - The object with the ids of the call, which can be invalid.
   */
  start(
    operation: RecordedOperation,
    client: ClientInfo | undefined,
    ids: unknown,
  ): ActivityRecorder
  /**
   * Returns a page of the entries that the caller can see, newest first.
   * @throws StorageError if the log fails or contains anything but entries.
   */
  list(caller: Caller, page: PageInput, options: ActivityListOptions): Promise<ActivityPage>
}

/** The parts of a call that a list of entries needs. */
export interface ActivityListOptions {
  /** Called with the error of each unreadable entry that is left out. */
  reportUnreadable(error: UnreadableError): void
}

/** The properties of an operation that its entries need. */
export interface RecordedOperation {
  readonly name: string
  /** `file` if the input can have the id of a file. */
  readonly target: string
  readonly activity: readonly [ActivityAction, ActivityResource]
}

/** The place of a page in the log. */
export interface PageInput {
  /** The maximum number of entries, 1 to 1,000; 50 if absent. */
  readonly limit?: number | undefined
  /** The number of newest entries to skip, 0 or more; 0 if absent. */
  readonly offset?: number | undefined
}

/**
 * Records the entries of one call. Each method rejects with ActivityUnavailableError (503) if the
 * log does not record the entry.
 */
export interface ActivityRecorder {
  /** Names the caller in the entries from now on. Before that, the caller is unknown. */
  setCaller(caller: Caller): void
  /**
   * Called before each attempt of a change. Records nothing if the last entry is the same change.
   * `newFileId` is the id of the file that the call adds; it is part of the later entries, too.
   */
  recordChange(change: Change, newFileId?: string): Promise<void>
  /**
   * Records the outcome of the call, and settles as it does after that. A result that cannot be
   * recorded is not returned. Records nothing if all of it was recorded as a change, or if the call
   * has attempted a change and fails with a status of 500 or more: the change may have been made.
   * Rejected calls of unknown callers are only counted once their quota is used up.
   */
  recordOutcome<Result>(call: Promise<Result>): Promise<Result>
}
