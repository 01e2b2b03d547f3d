/**
 * A record store behind an unreliable connection. Calls begin late and return late, so that they
 * overlap. Some fail: before the write, after it, or long before it is made.
 */

import type { RecordStore } from 'cofferkit'
import { passOnCanRollBack } from '../../../src/base/map-store.js'
import type { SeededRandom } from '../support/seeded-random.js'

/** Options of `createFlakyStore`. */
export interface FlakyOptions {
  readonly random: SeededRandom
  /** How many of 100 calls fail. */
  readonly failingPercent: number
  /** Turns of the event loop that a call waits at most before it begins, and before it returns. */
  readonly maxTurns: number
}

/** A store that can still make writes after their calls have failed. */
export interface FlakyStore {
  readonly records: RecordStore
  /** Resolves when every late write has ended. */
  settle(): Promise<void>
}

/** Wraps the store. */
export function createFlakyStore(inner: RecordStore, options: FlakyOptions): FlakyStore {
  const { random, failingPercent, maxTurns } = options
  const late: Promise<unknown>[] = []
  const wait = async (max: number): Promise<void> => {
    for (let left = random.below(max + 1); left > 0; left--) await nextTurn()
  }
  const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await wait(maxTurns)
    const fault = random.percent(failingPercent)
      ? random.pick(['before', 'after', 'late'] as const)
      : 'none'
    if (fault === 'before') throw new Error('failed before')
    if (fault === 'late') {
      // The call has already failed, so the result of the late write is dropped.
      late.push(
        wait(maxTurns * 20)
          .then(work)
          .catch(() => {}),
      )
      throw new Error('failed for now')
    }
    const result = await work()
    await wait(maxTurns)
    if (fault === 'after') throw new Error('failed after')
    return result
  }
  const records: RecordStore = {
    get: (key) => call(() => inner.get(key)),
    put: (key, record, expectedVersion) => call(() => inner.put(key, record, expectedVersion)),
    delete: (key, expectedVersion) => call(() => inner.delete(key, expectedVersion)),
    list: (collection, page) => call(() => inner.list(collection, page)),
    ...passOnCanRollBack(inner),
  }
  return {
    records,
    settle: async () => {
      await Promise.all(late)
    },
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
