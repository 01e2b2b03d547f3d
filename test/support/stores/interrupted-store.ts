/** A store with an interruption inside one of its calls. */

import type { VaultStore } from '../../../src/index.js'

/** Runs `work` directly before or after the first put or delete in a collection. */
export function createInterruptedStore(
  { records, blobs }: VaultStore,
  collection: string,
  when: 'before' | 'after',
  work: () => Promise<unknown>,
): VaultStore {
  let isDone = false
  const around = async (key: { collection: string }, call: () => Promise<boolean>) => {
    const isNow = !isDone && key.collection.startsWith(collection)
    isDone ||= isNow
    if (isNow && when === 'before') await work()
    const result = await call()
    if (isNow && when === 'after') await work()
    return result
  }
  return {
    records: {
      ...records,
      put: (key, record, expectedVersion) =>
        around(key, () => records.put(key, record, expectedVersion)),
      delete: (key, expectedVersion) => around(key, () => records.delete(key, expectedVersion)),
    },
    blobs,
  }
}
