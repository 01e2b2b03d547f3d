/** Wraps a store whose calls all go through one function. */

import type { RecordStore, VaultStore } from '../store.js'

/** Makes a call by `run`, or settles in its place. */
export type WrapCall = <Result>(run: () => Promise<Result>) => Promise<Result>

/** Returns a store that makes each call of `store` by `wrap`. Its halves are read at each call. */
export function mapStore(store: VaultStore, wrap: WrapCall): VaultStore {
  return {
    records: {
      get: (key) => wrap(() => store.records.get(key)),
      put: (key, record, expectedVersion) =>
        wrap(() => store.records.put(key, record, expectedVersion)),
      delete: (key, expectedVersion) => wrap(() => store.records.delete(key, expectedVersion)),
      list: (collection, query) => wrap(() => store.records.list(collection, query)),
      ...passOnCanRollBack(store.records, wrap),
    },
    blobs: {
      read: (id) => wrap(() => store.blobs.read(id)),
      write: (id, content) => wrap(() => store.blobs.write(id, content)),
      delete: (id) => wrap(() => store.blobs.delete(id)),
    },
  }
}

/** Returns an object with `canRollBack`, called by `wrap`, if the store has it, else an empty one. */
export function passOnCanRollBack(
  records: RecordStore,
  wrap: WrapCall = (run) => run(),
): Pick<RecordStore, 'canRollBack'> {
  if (records.canRollBack === undefined) return {}
  return { canRollBack: () => wrap(async () => (await records.canRollBack?.()) ?? false) }
}
