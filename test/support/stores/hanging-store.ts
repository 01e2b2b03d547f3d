/** A store one of whose calls never settles. */

import type { VaultStore } from '../../../src/index.js'

/** A store, and how its next call of a function is made to hang. */
export interface HangingStore extends VaultStore {
  /**
   * The next call of this function, such as `records.put`, in a collection whose name begins so, waits; the answer lets
   * it go on.
   */
  hang(name: string, collection?: string): () => void
}

/** The store `inner`, whose calls go well until one is made to hang. */
export function hangingStore({ records, blobs }: VaultStore): HangingStore {
  let next: { name: string; collection: string; gate: Promise<void> } | undefined
  const wait = async (name: string, collection = ''): Promise<void> => {
    if (next?.name !== name || !collection.startsWith(next.collection)) return
    const { gate } = next
    next = undefined
    await gate
  }
  return {
    hang(name, collection = '') {
      const { promise: gate, resolve } = Promise.withResolvers<void>()
      next = { name, collection, gate }
      return resolve
    },
    records: {
      get: (key) => wait('records.get', key.collection).then(() => records.get(key)),
      put: (key, record, expectedVersion) =>
        wait('records.put', key.collection).then(() => records.put(key, record, expectedVersion)),
      delete: (key, expectedVersion) =>
        wait('records.delete', key.collection).then(() => records.delete(key, expectedVersion)),
      list: (name, page) => wait('records.list', name).then(() => records.list(name, page)),
    },
    blobs: {
      read: (id) => wait('blobs.read').then(() => blobs.read(id)),
      write: (id, content) => wait('blobs.write').then(() => blobs.write(id, content)),
      delete: (id) => wait('blobs.delete').then(() => blobs.delete(id)),
    },
  }
}
