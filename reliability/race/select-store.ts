/** The store that a race is held on: as it is, or as its naive variant. */

import type { VaultStore } from 'cofferkit'
import { brokenStores } from '../support/broken-stores.js'

/** The store; if `isBroken`, its records are written whatever was seen. */
export function selectStore(store: VaultStore, isBroken: boolean): VaultStore {
  const breakRecords = brokenStores.get('writes whatever was seen')
  return isBroken && breakRecords ? { ...store, records: breakRecords(store.records) } : store
}
