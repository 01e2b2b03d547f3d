/** Counts the puts that a change needs until it is acknowledged. */

import { AsyncLocalStorage } from 'node:async_hooks'
import type { RecordStore } from 'cofferkit'

/** A store whose puts are counted. */
export interface CountingStore {
  readonly records: RecordStore
  /** Resolves with the result of `work` and the number of puts that it has made. */
  countDuring<Result>(work: () => Promise<Result>): Promise<{ result: Result; attempts: number }>
}

/** Wraps a store. Work that runs at the same time is counted separately. */
export function countAttempts(inner: RecordStore): CountingStore {
  const counters = new AsyncLocalStorage<{ attempts: number }>()
  return {
    records: {
      ...inner,
      put(key, record, expectedVersion) {
        const counter = counters.getStore()
        if (counter !== undefined) counter.attempts++
        return inner.put(key, record, expectedVersion)
      },
    },
    async countDuring(work) {
      const counter = { attempts: 0 }
      const result = await counters.run(counter, work)
      return { result, attempts: counter.attempts }
    },
  }
}
