/** Limits the entries about calls of unknown callers. */

const maxPerMinute = 60
const minuteMs = 60_000

/**
 * A quota of entries in the activity log for rejected calls of unknown callers. Such calls need no
 * permission, so without a quota anyone could fill the log.
 */
export interface RejectionQuota {
  /**
   * Uses one entry of the quota.
   * @returns How many rejections were left out since the last recorded one. Undefined if the quota
   * is exhausted, so that this rejection is only counted.
   */
  take(): number | undefined
  /** Counts rejections that were left out because their entry could not be recorded. */
  addOmitted(count: number): void
}

/** Creates a quota of 60 entries per minute. A monotonic clock measures the minute. */
export function createRejectionQuota(): RejectionQuota {
  let startedAt = Number.NEGATIVE_INFINITY
  let used = 0
  let omitted = 0
  return {
    take() {
      const now = performance.now()
      if (now - startedAt >= minuteMs) {
        startedAt = now
        used = 0
      }
      if (used === maxPerMinute) {
        omitted++
        return undefined
      }
      used++
      const count = omitted
      omitted = 0
      return count
    },
    addOmitted(count) {
      omitted += count
    },
  }
}
