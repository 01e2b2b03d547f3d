/** A store whose puts of items sometimes begin late, as those of a process that is paused. */

import { setTimeout as pause } from 'node:timers/promises'
import type { VaultStore } from 'cofferkit'
import type { SeededRandom } from '../support/seeded-random.js'

/** How long the longest pause is, in milliseconds, and how many of 100 puts are paused. */
export interface Pauses {
  readonly longest: number
  readonly share: number
}

/** The store, and these pauses. */
export function createPausedStore(
  { records, blobs }: VaultStore,
  random: SeededRandom,
  { longest, share }: Pauses,
): VaultStore {
  return {
    blobs,
    records: {
      ...records,
      async put(key, record, seen) {
        const isPaused = key.collection.startsWith('items/') && random.percent(share)
        if (isPaused) await pause(random.below(longest) + 1)
        return records.put(key, record, seen)
      },
    },
  }
}
