/** Stores that write down what is asked of them, and what of a store a test looks at. */

import type { VaultStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import { createFaultyStore } from '../../../src/testing.js'

/** A store that works, and the names of the calls made to it, such as `records.get`. */
export interface RecordingStore extends VaultStore {
  readonly calls: string[]
}

/** The store, every call to which is written down when it begins. */
export function recordingStore(inner: VaultStore = createMemoryStore()): RecordingStore {
  const calls: string[] = []
  const store = createFaultyStore(inner, (call) => {
    calls.push(`${call.store}.${call.method}`)
    return undefined
  })
  return { ...store, calls }
}

/** The store, asked of whose contents is only what is written and removed: every blob id that lives, in order. */
export interface BlobWatch extends VaultStore {
  readonly blobIds: Set<string>
}

/** The store, and the ids of the blobs that it holds. */
export function watchBlobs(inner: VaultStore = createMemoryStore()): BlobWatch {
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

/** Every record of the vaults and of one vault's items, as text. */
export async function recordsOf({ records }: VaultStore, vaultId: string): Promise<string[]> {
  const decoder = new TextDecoder()
  const listed = await Promise.all(
    ['vaults', `items/${vaultId}`].map((collection) => records.list(collection, { limit: 5000 })),
  )
  return listed.flat().map(({ id, version, body }) => `${id} ${version} ${decoder.decode(body)}`)
}
