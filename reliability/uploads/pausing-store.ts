/** A store whose puts of items sometimes begin late, as those of a process that is paused. */

import { setTimeout as pause } from 'node:timers/promises'
import type { VaultStore } from 'cofferkit'
import type { Dice } from '../support/seeded-random.js'

/** How long the longest pause is, in milliseconds, and how many of 100 puts are paused. */
export interface Pauses {
  readonly longest: number
  readonly share: number
}

/** The store, and these pauses. */
export function pausingStore(
  { records, blobs }: VaultStore,
  dice: Dice,
  { longest, share }: Pauses,
): VaultStore {
  return {
    blobs,
    records: {
      ...records,
      async put(key, record, seen) {
        const isPaused = key.collection.startsWith('items/') && dice.percent(share)
        if (isPaused) await pause(dice.below(longest) + 1)
        return records.put(key, record, seen)
      },
    },
  }
}
