/** A clock that stands still until it is told otherwise. */

/** A clock to be handed to `createVaultService` as `now`. */
export interface TestClock {
  /** The time it shows. */
  (): Date
  /** Goes on by so many milliseconds. */
  advance(milliseconds: number): void
}

/** A clock that shows this time, 2026-01-01T00:00:00.000Z if none is given. */
export function createTestClock(start = '2026-01-01T00:00:00.000Z'): TestClock {
  let time = new Date(start).getTime()
  const clock = (): Date => new Date(time)
  return Object.assign(clock, {
    advance: (milliseconds: number): void => {
      time += milliseconds
    },
  })
}

/** A `randomBytes` whose bytes depend on the seed alone (a 32-bit xorshift: Marsaglia, 2003). */
export function createSeededRandomBytes(seed = 1): (length: number) => Uint8Array {
  let state = seed | 0 || 1
  return (length) =>
    Uint8Array.from({ length }, () => {
      state ^= state << 13
      state ^= state >>> 17
      state ^= state << 5
      return (state >>> 11) & 255
    })
}
