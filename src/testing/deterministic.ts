/** A clock and randomness that are the same in every run. */

import { argumentError, like } from '../base/argument.js'

/** A clock for the option `now` of `createVaultService`. It only moves when `advance` is called. */
export interface TestClock {
  /** Returns the current time of this clock. */
  (): Date
  /** Moves the clock forward by this many milliseconds. */
  advance(milliseconds: number): void
}

/** Randomness whose state can be read and set. */
export interface RandomSource {
  readonly randomBytes: (length: number) => Uint8Array
  /** A 32-bit integer. Two sources with the same state yield the same bytes. */
  state: number
}

/**
 * Creates a clock that stays at `start` until `advance` is called.
 * @param start An ISO 8601 time. Default: 2026-01-01T00:00:00.000Z.
 * @throws TypeError if `start` is not a time.
 * @example
 * ```ts
 * import { createTestClock } from 'cofferkit/testing'
 *
 * const now = createTestClock()
 * now.advance(60_000)
 * console.log(now().toISOString()) // 2026-01-01T00:01:00.000Z
 * ```
 */
export function createTestClock(start = '2026-01-01T00:00:00.000Z'): TestClock {
  let time = new Date(start).getTime()
  if (typeof start !== 'string' || Number.isNaN(time))
    throw argumentError(start, 'start', 'an ISO 8601 time')
  const clock = (): Date => new Date(time)
  return Object.assign(clock, {
    advance: (milliseconds: number): void => {
      time += milliseconds
    },
  })
}

/**
 * Creates a `randomBytes` for `createVaultService` whose output depends only on the seed, by a
 * 32-bit xorshift (Marsaglia, 2003). Use it only in tests.
 * @param seed A 32-bit integer. Zero counts as 1. Default: 1.
 * @throws TypeError if `seed` is not a number.
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createMemoryStore } from 'cofferkit/memory'
 * import { createSeededRandomBytes } from 'cofferkit/testing'
 *
 * const randomBytes = createSeededRandomBytes(7)
 * const service = createVaultService({ store: createMemoryStore(), randomBytes })
 * ```
 */
export function createSeededRandomBytes(seed = 1): (length: number) => Uint8Array {
  like(1)(seed, 'seed')
  return createRandomSource(seed).randomBytes
}

/** Creates a source of the bytes of {@link createSeededRandomBytes}. */
export function createRandomSource(seed = 1): RandomSource {
  const source = {
    state: seed | 0 || 1,
    randomBytes: (length: number) =>
      Uint8Array.from({ length }, () => {
        let { state } = source
        state ^= state << 13
        state ^= state >>> 17
        state ^= state << 5
        source.state = state
        return (state >>> 11) & 255
      }),
  }
  return source
}
