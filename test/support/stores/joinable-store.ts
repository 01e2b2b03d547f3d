/** A store that takes part in transactions, as far as a test without a database needs it. */

import { mapStore, type WrapCall } from '../../../src/base/map-store.js'
import type { TransactionClient, VaultStore } from '../../../src/index.js'

/** A client for `inTransaction` of a joinable store. It is never called. */
export const anyClient: TransactionClient = {
  query: () => Promise.reject(new Error('the client must not be called')),
}

/** Returns the store with `inTransaction`, each call of which is made by `wrap`, and commits at once. */
export function createJoinableStore(
  { records, blobs }: VaultStore,
  wrap: WrapCall = (run) => run(),
): VaultStore {
  const joined = mapStore({ records, blobs }, wrap)
  return { records: { ...records, inTransaction: () => joined.records }, blobs }
}
