/** The store that a race is held on: as it is, or as its naive twin. */

import type { VaultStore } from 'cofferkit'
import { brokenStores } from '../support/broken-stores.js'

/** The store; if `isNaive`, its records are written whatever was seen. */
export function storeFor(store: VaultStore, isNaive: boolean): VaultStore {
  const breaking = brokenStores.get('writes whatever was seen')
  return isNaive && breaking ? { ...store, records: breaking(store.records) } : store
}
