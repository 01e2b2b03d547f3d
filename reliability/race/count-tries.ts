/** Counts how often a record is put until a change of it is acknowledged. */

import { AsyncLocalStorage } from 'node:async_hooks'
import type { RecordStore } from 'cofferkit'

/** A store whose puts are counted. */
export interface CountedStore {
  readonly records: RecordStore
  /** Resolves with what `work` does, and how many puts it has made. */
  counting<Result>(work: () => Promise<Result>): Promise<{ result: Result; tries: number }>
}

/** The store. Work that runs at the same time is counted apart. */
export function countTries(inner: RecordStore): CountedStore {
  const counters = new AsyncLocalStorage<{ tries: number }>()
  return {
    records: {
      ...inner,
      put(key, record, seen) {
        const counter = counters.getStore()
        if (counter !== undefined) counter.tries++
        return inner.put(key, record, seen)
      },
    },
    async counting(work) {
      const counter = { tries: 0 }
      const result = await counters.run(counter, work)
      return { result, tries: counter.tries }
    },
  }
}
