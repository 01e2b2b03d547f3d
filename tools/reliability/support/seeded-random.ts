/** Random choices that are the same every time for the same seed. */

/** The sequence of one seed. */
export interface SeededRandom {
  /** An integer from 0 to `end` - 1. */
  below(end: number): number
  /** An element of the list, which must not be empty. */
  pick<Element>(list: readonly Element[]): Element
  /** True in `share` of 100 calls. */
  percent(share: number): boolean
}

/** Creates the sequence of this seed, an integer (mulberry32). */
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
