/** A store in a database of keys and values. */

import type { VaultStore } from 'cofferkit'
import { createBlobs } from './blobs.ts'
import type { Database } from './database.ts'
import { createRecords } from './records.ts'

/**
 * Creates a store in `database`, which can contain nothing else.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 *
 * const service = createVaultService({ store: createStore(createToyDatabase()) })
 * ```
 */
export function createStore(database: Database): VaultStore {
  return { records: createRecords(database), blobs: createBlobs(database) }
}
