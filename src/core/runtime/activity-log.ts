/** The activity log of a service. `cofferkit/activity` implements it. */

import { argumentError, type Kind } from '../../base/argument.js'
import { safeGet } from '../../base/safe-get.js'
import type { ActivityUnavailableError, DecryptionError } from '../../errors.js'
import type {
  ActivityAction,
  ActivityEntry,
  ActivityPage,
  ActivityResource,
  ActivityResult,
  RecordedCredential,
} from '../../schema/activity-entry.js'
import type { RecordStore, VaultStore } from '../../store.js'
import type { Caller, ClientInfo } from '../access/caller.js'
import type { Change } from './change.js'
import type { RandomBytes } from './random.js'
import type { UnreadableError } from './report-unreadable.js'

/** Stores and lists activity entries. */
export interface ActivityStorage {
  /**
   * Stores an entry. A change is recorded twice, before and after it is made. The second entry
   * replaces the one with the same `requestId` and the same item. An append-only log keeps both,
   * and the last one counts.
   *
   * If this rejects or does not resolve within ten seconds, the call fails with 503
   * (`ACTIVITY_UNAVAILABLE`). The second entry of a change has one second. If it fails, the call
   * does not, because the change has already been made.
   * @param pending The entry that this one replaces. Not set for the only or the first entry of a
   * call.
   */
  record(entry: ActivityEntry, pending?: ActivityEntry): Promise<void>
  /**
   * Returns the stored entries in descending order of `timestamp`, then in descending order of
   * `requestId`, then in ascending order of the item's id. It may return entries that do not match
   * the options, because they are skipped. The `entries` of an {@link ActivityLog} throws a TypeError
   * if an option is unknown or has the wrong type.
   */
  entries(options?: ActivityEntriesOptions): AsyncIterable<ActivityEntry>
}

/** Which entries `entries` should return. Default: all. */
export interface ActivityEntriesOptions {
  /** Only entries of this vault. */
  readonly vaultId?: string | undefined
  /** Only entries of this time or later, RFC 3339. */
  readonly since?: string | undefined
  /** Only entries of an earlier time, RFC 3339. */
  readonly until?: string | undefined
  /** Only entries after this position, the `next` of an earlier page. */
  readonly after?: string | undefined
  /**
   * How many entries to load at a time. The iteration may go on after them, because the caller may
   * not be allowed to see all of them.
   */
  readonly pageSize?: number | undefined
  /**
   * Called with the error of each unreadable entry, which is then left out. By default the
   * iteration fails with that error.
   */
  readonly onUnreadable?: ((error: DecryptionError) => void) | undefined
}

/** A log of calls. Only the functions of `cofferkit/activity` can create one. */
export interface ActivityLog extends ActivityStorage {}

/** A log with the members that only services call. Every {@link ActivityLog} has them. */
export interface OpenableLog extends ActivityLog {
  /**
   * Opens the log for a service. The service stores the entries of its calls with `record` and
   * lists them with `entries`.
   */
  open(source: ActivitySource): ServiceActivity
  /**
   * Stores the entry of a change in the application's transaction, as part of that transaction. If
   * the entries are not in the store of the transaction, it does nothing, and the entry stays
   * `PENDING`. The same happens if the log does not have this method.
   */
  recordIn?(transaction: RecordTransaction, entry: ActivityEntry): Promise<void>
  /**
   * Rejects if an entry could not be recorded now. A log that is not in a store does not have this
   * method.
   */
  checkHealth?(): Promise<void>
}

/** The kind of a log that a service can open. */
export const openableLog: Kind<OpenableLog, ActivityLog> = (log, path) => {
  if (isOpenable(log)) return log
  throw argumentError(log, path, 'the result of createActivityLog or another activity log')
}

function isOpenable(log: ActivityLog): log is OpenableLog {
  return typeof safeGet(log, 'open') === 'function'
}

/** The store of a service whose calls are part of the application's transaction. */
export interface RecordTransaction {
  /** The records in the transaction. */
  readonly store: Pick<VaultStore, 'records'>
  /** The record store of the service outside the transaction. */
  readonly outside: RecordStore
}

/** The clock and the randomness of a service, and where it reports errors. */
export interface ActivitySource {
  readonly now: () => Date
  readonly randomBytes: RandomBytes
  /** Called if the outcome of a change could not be recorded. Must not throw. */
  onError(error: ActivityUnavailableError): void
}

/** The activity of one service. */
export interface ServiceActivity {
  /** Starts to record a call. */
  start(call: RecordedCall): ActivityRecorder
  /**
   * Returns a page of the entries that the caller can see, newest first.
   * @throws StorageError if the log fails or contains anything but entries.
   */
  list(caller: Caller, query: ActivityQuery, options: ActivityListOptions): Promise<ActivityPage>
  /** Returns the activity of calls in a transaction: the successful changes are recorded in it. */
  inTransaction(transaction: RecordTransaction): ServiceActivity
}

/** Which entries of a log to list. An entry must match every member that is set. */
export interface ActivityQuery {
  /** The maximum number of entries, 1 to 1,000. Default: 50. */
  readonly limit?: number | undefined
  /** The number of newest entries to skip, 0 or more. Default: 0. */
  readonly offset?: number | undefined
  /**
   * If true, the matching entries are counted, up to 10,000. They must be read for that. Default:
   * false, so that at most 1,000 entries are read besides those of `offset`.
   */
  readonly count?: boolean | undefined
  /** The `next` of the previous page. */
  readonly after?: string | undefined
  /**
   * The vault. The caller must be able to read it. A stored log finds its entries without reading
   * the others.
   */
  readonly vaultId?: string | undefined
  /** The item. The deletion of its vault matches as well. Needs `vaultId`. */
  readonly itemId?: string | undefined
  /** The id of the caller. */
  readonly callerId?: string | undefined
  /** The name of the operation, such as `useField`. */
  readonly operation?: string | undefined
  readonly result?: ActivityResult | undefined
  /** Only entries of this time or later: RFC 3339. */
  readonly since?: string | undefined
  /** Only entries of an earlier time: RFC 3339. */
  readonly until?: string | undefined
}

/** The parts of a call that a list of entries needs. */
export interface ActivityListOptions {
  /** Called with the error of each unreadable entry that is left out. */
  reportUnreadable(error: UnreadableError): void
}

/** A call that is recorded. */
export interface RecordedCall {
  readonly operation: RecordedOperation
  /** The client of a call over HTTP. Undefined for a call in process. */
  readonly client: ClientInfo | undefined
  /** The object with the ids of the call, which may be invalid. */
  readonly ids: unknown
  /** The well-formed ids of the vault and the item in it. */
  readonly ref: Partial<Pick<Change, 'vaultId' | 'itemId'>>
  /** The credential that the call is about, if it is about one. */
  readonly credential?: RecordedCredential | undefined
}

/** The properties of an operation that its entries need. */
interface RecordedOperation {
  readonly name: string
  /** `file` if the input may have the id of a file. */
  readonly target: string
  readonly activity: readonly [ActivityAction, ActivityResource]
}

/**
 * Records one call. `begin` and `recordOutcome` reject with ActivityUnavailableError (503) if the
 * log does not record the entry.
 */
export interface ActivityRecorder {
  /** Names the caller in the entries from now on. Before that, the caller is unknown. */
  setCaller(caller: Caller): void
  /** Names the credential or grant in the entries from now on. */
  setCredential(credential: RecordedCredential | undefined): void
  /**
   * Records the call as `PENDING`. Called before each change of the call, and before anything else
   * that it writes. The first call records, and all of them wait for it. `newFileId` is the id of
   * the file that the call adds.
   */
  begin(change: Change, newFileId?: string): Promise<void>
  /** Takes note of a change that is stored. */
  addStored(change: Change): void
  /**
   * Records the outcome of a call that has begun a change, and then settles as the call does. If
   * the outcome cannot be recorded, the error is reported, and the entry stays `PENDING`.
   */
  settle<Result>(call: Promise<Result>): Promise<Result>
  /**
   * Records the outcome of a call that has begun no change, and then settles as the call does. A
   * result that cannot be recorded is not returned. Rejected calls of unknown callers are only
   * counted once their quota is used up.
   */
  recordOutcome<Result>(call: Promise<Result>): Promise<Result>
}
