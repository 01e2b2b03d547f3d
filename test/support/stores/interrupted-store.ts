/** A store in the middle of whose call somebody else does something. */

import type { VaultStore } from '../../../src/index.js'

/** The store, where somebody does something right before or after the first put or delete in that collection. */
export function interrupted(
  { records, blobs }: VaultStore,
  collection: string,
  when: 'before' | 'after',
  somebody: () => Promise<unknown>,
): VaultStore {
  let isDone = false
  const around = async (key: { collection: string }, call: () => Promise<boolean>) => {
    const isNow = !isDone && key.collection.startsWith(collection)
    isDone ||= isNow
    if (isNow && when === 'before') await somebody()
    const result = await call()
    if (isNow && when === 'after') await somebody()
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
