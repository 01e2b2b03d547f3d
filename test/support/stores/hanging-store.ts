/** A store with calls that do not settle until they are released. */

import { passOnCanRollBack } from '../../../src/base/map-store.js'
import type { VaultStore } from '../../../src/index.js'

/** A store, and a function that makes its next call hang. */
export interface HangingStore extends VaultStore {
  /**
   * Makes the next call of this method, such as `records.put`, wait, if its collection starts with
   * this prefix. Returns a function that releases it.
   */
  hang(name: string, collection?: string): () => void
}

/** Wraps a store; calls succeed until one is made to hang. */
export function createHangingStore({ records, blobs }: VaultStore): HangingStore {
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
      ...passOnCanRollBack(records),
    },
    blobs: {
      read: (id) => wait('blobs.read').then(() => blobs.read(id)),
      write: (id, content) => wait('blobs.write').then(() => blobs.write(id, content)),
      delete: (id) => wait('blobs.delete').then(() => blobs.delete(id)),
    },
  }
}
