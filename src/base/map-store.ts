/** Wraps a store whose calls all go through one function. */

import type { RecordStore, VaultStore } from '../store.js'

/** Makes a call with `run`, or settles instead of it. */
export type WrapCall = <Result>(run: () => Promise<Result>) => Promise<Result>

/**
 * Returns a store that makes each call of `store` by `wrap`. Its halves are read at each call, but
 * `canRollBack` and `inTransaction` are always those that `store.records` has now.
 */
export function mapStore(store: VaultStore, wrap: WrapCall): VaultStore {
  return {
    records: {
      ...mapRecords(() => store.records, wrap),
      ...passOnCanRollBack(store.records, wrap),
      ...mapTransactions(store.records, (records) => mapRecords(() => records, wrap)),
    },
    blobs: {
      read: (id) => wrap(() => store.blobs.read(id)),
      write: (id, content) => wrap(() => store.blobs.write(id, content)),
      delete: (id) => wrap(() => store.blobs.delete(id)),
    },
  }
}

function mapRecords(records: () => RecordStore, wrap: WrapCall): RecordStore {
  return {
    get: (key) => wrap(() => records().get(key)),
    put: (key, record, expectedVersion) => wrap(() => records().put(key, record, expectedVersion)),
    delete: (key, expectedVersion) => wrap(() => records().delete(key, expectedVersion)),
    list: (collection, query) => wrap(() => records().list(collection, query)),
  }
}

/**
 * Returns an object with `canRollBack`, called by `wrap`, if the store has it, otherwise an empty
 * one.
 */
export function passOnCanRollBack(
  records: RecordStore,
  wrap: WrapCall = (run) => run(),
): Pick<RecordStore, 'canRollBack'> {
  if (records.canRollBack === undefined) return {}
  return { canRollBack: () => wrap(async () => (await records.canRollBack?.()) ?? false) }
}

/**
 * Returns an object with `inTransaction`, whose results are those of `map`, if the store has it,
 * otherwise an empty one.
 */
export function mapTransactions(
  records: RecordStore,
  map: (records: RecordStore) => RecordStore,
): Pick<RecordStore, 'inTransaction'> {
  const { inTransaction } = records
  if (inTransaction === undefined) return {}
  return { inTransaction: (client) => map(inTransaction.call(records, client)) }
}
