/** A store whose puts of items sometimes begin late, as those of a process that is paused. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { VaultStore } from 'cofferkit'
import type { SeededRandom } from '../support/seeded-random.js'

/** The longest pause in milliseconds, and how many of 100 puts are paused. */
export interface Pauses {
  readonly maxMs: number
  readonly percent: number
}

/** Wraps the store with these pauses. */
export function createPausedStore(
  { records, blobs }: VaultStore,
  random: SeededRandom,
  { maxMs, percent }: Pauses,
): VaultStore {
  return {
    blobs,
    records: {
      ...records,
      async put(key, record, expectedVersion) {
        const isPaused = key.collection.startsWith('items/') && random.percent(percent)
        if (isPaused) await sleep(random.below(maxMs) + 1)
        return records.put(key, record, expectedVersion)
      },
    },
  }
}
