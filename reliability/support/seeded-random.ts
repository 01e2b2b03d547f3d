/** Random choices that come out the same every time for the same seed. */

/** Throws of one sequence. */
export interface SeededRandom {
  /** A whole number from 0 to `end` - 1. */
  below(end: number): number
  /** One of the list, which is not empty. */
  pick<Element>(list: readonly Element[]): Element
  /** True in so many of 100 throws. */
  percent(share: number): boolean
}

/** The throws of this seed, a whole number (mulberry32). */
export function createSeededRandom(seed: number): SeededRandom {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b)
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }
  return {
    below,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    percent: (share) => below(100) < share,
  }
}
