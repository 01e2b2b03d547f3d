/** Limits how many refusals of unknown callers are recorded, and counts the others. */

const maxPerMinute = 60
const minuteMs = 60_000

/** A quota of entries of the activity log, for the calls that need no right at all to be made. */
export interface RejectionQuota {
  /**
   * How many refusals were left out since the last one that was recorded, if one more can be recorded now; undefined if
   * it is only counted.
   */
  take(): number | undefined
  /** Counts refusals whose entry the log did not take. */
  giveBack(count: number): void
}

/** 60 entries in each minute of a clock that nobody sets. */
export function createRejectionQuota(): RejectionQuota {
  let began = Number.NEGATIVE_INFINITY
  let used = 0
  let omitted = 0
  return {
    take() {
      const now = performance.now()
      if (now - began >= minuteMs) {
        began = now
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
    giveBack(count) {
      omitted += count
    },
  }
}
