/** Selects the store of a run: the given one, or the last-write-wins variant of it. */

import type { VaultStore } from 'cofferkit'
import { brokenStores } from '../support/broken-stores.js'

/** Returns the store, or the negative control if `isBroken`. */
export function selectStore(store: VaultStore, isBroken: boolean): VaultStore {
  const breakRecords = brokenStores.get('ignores the expected version of a put')
  return isBroken && breakRecords ? { ...store, records: breakRecords(store.records) } : store
}
