/** Where the key rings are: in the inner store, or in their own store. */

import { walkPages } from '../../../base/walk-pages.js'
import { StorageError } from '../../../errors.js'
import type { ListedRecord, RecordInput, RecordStore, StoredRecord } from '../../../store.js'
import { withKeyTimeout } from '../providers/key-provider.js'
import { isErased, nameKeys, type RingUse, toRingRecordKey } from './key-ring.js'

/**
 * The records that contain key rings. Every method rejects with the error of the store. The methods
 * for one ring also reject with a StorageError (`STORAGE_UNAVAILABLE`, 503) if a call has not
 * settled after 10 s.
 */
export interface RingStore {
  readonly use: RingUse
  /**
   * Returns the record, or undefined if it does not exist. Rejects with a StorageError
   * (`STORAGE_FAILED`) if it exists only in the inner store, although that is not its place.
   */
  get(scope: string): Promise<StoredRecord | undefined>
  /** Like `put` of a record store. */
  put(scope: string, ring: RecordInput, expectedVersion: number): Promise<boolean>
  /**
   * Rejects with a StorageError (`STORAGE_FAILED`) if a ring that was just read or written can still
   * be rolled back. Resolves if the store cannot tell.
   */
  assertCommitted(): Promise<void>
  /**
   * Yields the record of every ring, including those for which `get` rejects because they are only
   * in the inner store.
   */
  list(): AsyncGenerator<ListedRecord>
  /** Yields every scope that has keys. Scopes whose keys were erased have none. */
  listScopes(): AsyncGenerator<string>
}

/** Returns the place of the key rings: `keyRings`, or the inner store if it is undefined. */
export function createRingStore(
  use: RingUse,
  inner: RecordStore,
  keyRings: RecordStore = inner,
): RingStore {
  const getFrom = (records: RecordStore, scope: string): Promise<StoredRecord | undefined> =>
    withKeyTimeout('the store', () => records.get(toRingRecordKey(scope, use)))
  const list = async function* (): AsyncGenerator<ListedRecord> {
    yield* listRings(keyRings, use)
    if (keyRings === inner) return
    for await (const record of listRings(inner, use))
      if ((await getFrom(keyRings, record.id)) === undefined) yield record
  }
  return {
    use,
    async get(scope) {
      const stored = await getFrom(keyRings, scope)
      if (stored !== undefined || keyRings === inner) return stored
      if ((await getFrom(inner, scope)) !== undefined)
        throw new StorageError(`${nameKeys(use, scope)} are in the inner store: call moveKeyRings`)
      // Another process may have moved it between the two calls.
      return getFrom(keyRings, scope)
    },
    put: (scope, ring, expectedVersion) =>
      withKeyTimeout('the store', () =>
        keyRings.put(toRingRecordKey(scope, use), ring, expectedVersion),
      ),
    assertCommitted: () => assertCommitted(keyRings),
    list,
    async *listScopes() {
      for await (const record of list()) if (!isErased(record, use)) yield record.id
    },
  }
}

/** Rejects like `RingStore.assertCommitted`. @param keyRings The store of the ring. */
export async function assertCommitted(keyRings: RecordStore): Promise<void> {
  if (await withKeyTimeout('the store', async () => keyRings.canRollBack?.()))
    throw new StorageError(
      'keys cannot be created, read or changed in a transaction that may be rolled back: give the store a client outside of the transaction',
    )
}

/** Yields the record of every key ring in a store. */
export function listRings(
  records: RecordStore,
  { collection }: RingUse,
): AsyncGenerator<ListedRecord> {
  return walkPages((page) => records.list(collection, page), { limit: 100 })
}
