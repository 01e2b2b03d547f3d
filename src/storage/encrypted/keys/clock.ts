/** Measures ages by two clocks, because each of them can be wrong. */

/** A time of both clocks, in milliseconds. */
export interface Instant {
  readonly monotonic: number
  readonly wall: number
}

/** Two clocks. */
export interface Clock {
  read(): Instant
  /**
   * Returns the milliseconds since a time, by the clock that has advanced further. The monotonic
   * clock stands still while the machine is suspended, and the wall clock can be set back.
   */
  ageOf(instant: Instant): number
}

/** A time that is older than any age. */
export const longAgo: Instant = {
  monotonic: Number.NEGATIVE_INFINITY,
  wall: Number.NEGATIVE_INFINITY,
}

/** Creates a clock. @param now Returns the time of the wall clock in milliseconds since 1970. */
export function createClock(now: () => number): Clock {
  const read = (): Instant => ({ monotonic: performance.now(), wall: now() })
  return {
    read,
    ageOf(instant) {
      const { monotonic, wall } = read()
      return Math.max(monotonic - instant.monotonic, wall - instant.wall || 0)
    },
  }
}
