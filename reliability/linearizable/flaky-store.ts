/**
 * A record store behind something unsteady: calls begin late and are answered late, so that they overlap, and some
 * fail: before the write happened, after it, or long before it does.
 */

import type { RecordStore } from 'cofferkit'
import type { SeededRandom } from '../support/seeded-random.js'

/** How unsteady it is. */
export interface Flakiness {
  readonly random: SeededRandom
  /** How many of 100 calls fail. */
  readonly failing: number
  /** How many turns of the event loop a call may wait before it begins, and again before it is answered. */
  readonly turns: number
}

/** A store that may still have writes to do after its clients were told that they failed. */
export interface FlakyStore {
  readonly records: RecordStore
  /** Resolves when nothing is left to happen. */
  settled(): Promise<void>
}

/** The store, behind it. */
export function createFlakyStore(inner: RecordStore, flakiness: Flakiness): FlakyStore {
  const { random, failing, turns } = flakiness
  const late: Promise<unknown>[] = []
  const pause = async (most: number): Promise<void> => {
    for (let left = random.below(most + 1); left > 0; left--) await nextTurn()
  }
  const call = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await pause(turns)
    const fault = random.percent(failing) ? random.pick(['before', 'after', 'late'] as const) : 'none'
    if (fault === 'before') throw new Error('failed before')
    if (fault === 'late') {
      // It was answered already; that it fails in the end is one more thing that nobody is told.
      late.push(
        pause(turns * 20)
          .then(work)
          .catch(() => {}),
      )
      throw new Error('failed for now')
    }
    const result = await work()
    await pause(turns)
    if (fault === 'after') throw new Error('failed after')
    return result
  }
  const records: RecordStore = {
    get: (key) => call(() => inner.get(key)),
    put: (key, record, expectedVersion) => call(() => inner.put(key, record, expectedVersion)),
    delete: (key, expectedVersion) => call(() => inner.delete(key, expectedVersion)),
    list: (collection, page) => call(() => inner.list(collection, page)),
  }
  return {
    records,
    settled: async () => {
      await Promise.all(late)
    },
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
