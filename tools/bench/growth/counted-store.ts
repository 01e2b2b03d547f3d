/** Counts what is asked of a store. */

import type { VaultStore } from 'cofferkit'

/** A store, and what was asked of its records so far. */
export interface CountedStore {
  readonly store: VaultStore
  readonly counts: { calls: number; listed: number }
  /** The number of writes to each collection. */
  readonly writes: Map<string, number>
}

/** Wraps a store. */
export function countCalls({ records, blobs }: VaultStore): CountedStore {
  const counts = { calls: 0, listed: 0 }
  const writes = new Map<string, number>()
  const store: VaultStore = {
    blobs,
    records: {
      get(key) {
        counts.calls++
        return records.get(key)
      },
      put(key, record, expectedVersion) {
        counts.calls++
        writes.set(key.collection, (writes.get(key.collection) ?? 0) + 1)
        return records.put(key, record, expectedVersion)
      },
      delete(key, expectedVersion) {
        counts.calls++
        return records.delete(key, expectedVersion)
      },
      async list(collection, query) {
        counts.calls++
        const listed = await records.list(collection, query)
        counts.listed += listed.length
        return listed
      },
    },
  }
  return { store, counts, writes }
}
