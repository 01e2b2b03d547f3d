/** Counts how often a record is put until a change of it is acknowledged. */

import { AsyncLocalStorage } from 'node:async_hooks'
import type { RecordStore } from 'cofferkit'

/** A store whose puts are counted. */
export interface CountingStore {
  readonly records: RecordStore
  /** Resolves with what `work` does, and how many puts it has made. */
  countDuring<Result>(work: () => Promise<Result>): Promise<{ result: Result; attempts: number }>
}

/** The store. Work that runs at the same time is counted apart. */
export function countAttempts(inner: RecordStore): CountingStore {
  const counters = new AsyncLocalStorage<{ attempts: number }>()
  return {
    records: {
      ...inner,
      put(key, record, seen) {
        const counter = counters.getStore()
        if (counter !== undefined) counter.attempts++
        return inner.put(key, record, seen)
      },
    },
    async countDuring(work) {
      const counter = { attempts: 0 }
      const result = await counters.run(counter, work)
      return { result, attempts: counter.attempts }
    },
  }
}
