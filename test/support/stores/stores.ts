/** Stores that record their calls, and the content of a store. */

import type { VaultStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import type { StoreCall } from '../../../src/testing/store-calls.js'
import { createFaultyStore } from '../../../src/testing.js'

/** A store with the names of the calls made to it, such as `records.get`. */
export interface RecordingStore extends VaultStore {
  readonly calls: string[]
}

/**
 * Records every call to a store when it starts, except the two of the look for encrypted records
 * before the first call of a service: `encryption-check.test.ts` counts them.
 */
export function createRecordingStore(inner: VaultStore = createMemoryStore()): RecordingStore {
  const calls: string[] = []
  const isLook = createLookDetector()
  const store = createFaultyStore(inner, (call) => {
    if (!isLook(call)) calls.push(`${call.store}.${call.method}`)
    return undefined
  })
  return { ...store, calls }
}

/**
 * Returns a function that is called for each call to a store, and returns true for those that look
 * whether the store is encrypted: a list of `keys`, and the list of `vaults` after it.
 */
export function createLookDetector(): (call: Pick<StoreCall, 'method' | 'collection'>) => boolean {
  let isLooking = false
  return ({ method, collection }) => {
    const isOfVaults = isLooking && collection === 'vaults'
    isLooking = method === 'list' && collection === 'keys'
    return isLooking || (method === 'list' && isOfVaults)
  }
}

/** A store with the ids of its blobs in the order of writing. */
export interface BlobTrackingStore extends VaultStore {
  readonly blobIds: Set<string>
}

/** Records the ids of the blobs in a store. */
export function trackBlobs(inner: VaultStore = createMemoryStore()): BlobTrackingStore {
  const blobIds = new Set<string>()
  return {
    records: inner.records,
    blobs: {
      read: (id) => inner.blobs.read(id),
      write: async (id, content) => {
        await inner.blobs.write(id, content)
        blobIds.add(id)
      },
      delete: async (id) => {
        await inner.blobs.delete(id)
        blobIds.delete(id)
      },
    },
    blobIds,
  }
}

/** Returns every vault record, and every item record of one vault, as text. */
export async function readRecords({ records }: VaultStore, vaultId: string): Promise<string[]> {
  const decoder = new TextDecoder()
  const listed = await Promise.all(
    ['vaults', `items/${vaultId}`].map((collection) => records.list(collection, { limit: 5000 })),
  )
  return listed.flat().map(({ id, version, body }) => `${id} ${version} ${decoder.decode(body)}`)
}
