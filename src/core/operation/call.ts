/** One call of an operation. */

import type { RecordedCredential } from '../../schema/activity-entry.js'
import type { KnownCaller } from '../access/caller.js'
import type { Change } from '../runtime/change.js'
import type { Context } from '../runtime/context.js'
import type { UnreadableReports } from '../runtime/report-unreadable.js'

/** A call of an operation by a caller who has its permissions. */
export interface Call extends UnreadableReports {
  /** Store, clock and limits, which all calls of the service share. */
  readonly context: Context
  readonly caller: KnownCaller
  /** True if the caller has only the permission `use`. */
  readonly isUseOnly: boolean
  /** Set if `listVaults` must find out whether the caller can create vaults. */
  readonly reportCanCreate?: ((canCreate: boolean) => void) | undefined
  /**
   * Checks the caller again, after waiting for something that may take long.
   * @throws UnauthorizedError if they have expired.
   */
  assertNotExpired(): void
  /**
   * Records the call as pending, before its first write. The call's entry is about the first change
   * that it begins. `newFileId` is the id of the file that the call adds. If this throws, nothing
   * may be written.
   * @throws ActivityUnavailableError if the call cannot be recorded.
   * @throws UnauthorizedError if the caller expired before the first change.
   */
  beginChange(change: Change, newFileId?: string): Promise<void>
  /**
   * Names the credential or grant that the call turned out to be about, for the activity log.
   * `find` is called only if there is one.
   */
  setCredential(find: () => Promise<RecordedCredential | undefined>): Promise<void>
  /** Takes note of a change that is stored, and emits its event. */
  afterChange(change: Change): void
}

/**
 * Begins a change, and runs `write`, which makes it. The change counts as stored if the result of
 * `write` is truthy.
 * @returns The result of `write`. It is false or undefined if the change was not made.
 */
export async function makeChange<Result>(
  call: Call,
  change: Change,
  write: () => Promise<Result>,
): Promise<Result> {
  await call.beginChange(change)
  const result = await write()
  if (result) call.afterChange(change)
  return result
}
