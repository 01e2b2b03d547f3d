/** Recognizes the errors of unreadable records, and reports them to the operator. */

import { DecryptionError, type UnreadableRecord } from '../../errors.js'
import type { RecordKey } from '../../store.js'

/** An error about a record that is unreadable. */
export interface UnreadableError extends DecryptionError {
  readonly record: UnreadableRecord
}

/** Returns true for the error of an unreadable record. If `key` is passed, only for this record. */
export function isUnreadableError(error: unknown, key?: RecordKey): error is UnreadableError {
  if (!(error instanceof DecryptionError) || error.record === undefined) return false
  const { collection, id } = error.record
  return key === undefined || (key.collection === collection && key.id === id)
}

/** Where unreadable records are reported. */
export interface UnreadableReports {
  /**
   * Reports a record that is left out: to the operator, and to the option `onUnreadable` of the
   * call. @throws The error of `onUnreadable`.
   */
  reportUnreadable(error: UnreadableError): void
}

/**
 * Resolves with the result of `read`. If this record is unreadable, reports it and resolves with
 * undefined.
 */
export async function skipUnreadable<Result>(
  { reportUnreadable }: UnreadableReports,
  key: RecordKey,
  read: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await read()
  } catch (error) {
    if (!isUnreadableError(error, key)) throw error
    reportUnreadable(error)
    return undefined
  }
}

const minPauseMs = 60_000
/** How many records are remembered, which is also the maximum number of reports in a minute. */
const maxRemembered = 1000

/**
 * Creates a function that reports each record at most once a minute, and at most 1,000 records a
 * minute.
 * @param report - Called with each report.
 */
export function createUnreadableReporter(
  report: (error: UnreadableError) => void,
): (error: UnreadableError) => void {
  /** The times of the last reports, oldest first, on the clock of `performance.now()`. */
  const reportedAt = new Map<string, number>()
  return (error) => {
    const now = performance.now()
    for (const [key, at] of reportedAt) {
      if (now - at < minPauseMs) break
      reportedAt.delete(key)
    }
    const { collection, id } = error.record
    const key = `${collection}\n${id}`
    if (reportedAt.has(key) || reportedAt.size === maxRemembered) return
    reportedAt.set(key, now)
    report(error)
  }
}
