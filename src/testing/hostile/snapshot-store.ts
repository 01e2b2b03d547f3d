/** A memory store whose entire content can be compared, to detect any change. */

import { readContent } from '../../base/blob-content.js'
import type { VaultStore } from '../../index.js'
import { createMemoryStore } from '../../storage/memory.js'

/** A store with a snapshot of everything in it. */
export interface SnapshotStore extends VaultStore {
  /** Returns the ids of all blobs that exist. */
  blobIds(): Promise<readonly string[]>
  /**
   * Returns every record of every collection with its version, and every blob, as one string. Two
   * snapshots are equal if and only if the stores contain the same bytes.
   */
  snapshot(): Promise<string>
}

/** Creates an empty store. */
export function createSnapshotStore(): SnapshotStore {
  const { records, blobs } = createMemoryStore()
  const collections = new Set<string>()
  const writtenBlobIds = new Set<string>()

  async function readBlobs(): Promise<[id: string, bytes: string][]> {
    const found: [string, string][] = []
    for (const id of writtenBlobIds) {
      const content = await blobs.read(id)
      if (content !== undefined) found.push([id, latin1(await readContent(content))])
    }
    return found
  }

  async function readRecords(): Promise<unknown[]> {
    const found: unknown[] = []
    for (const collection of [...collections].sort()) {
      const listed = await records.list(collection, { limit: Number.MAX_SAFE_INTEGER })
      found.push(...listed.map(({ id, version, body }) => [collection, id, version, latin1(body)]))
    }
    return found
  }

  return {
    records: {
      ...records,
      put(key, record, expectedVersion) {
        collections.add(key.collection)
        return records.put(key, record, expectedVersion)
      },
    },
    blobs: {
      ...blobs,
      write(id, content) {
        writtenBlobIds.add(id)
        return blobs.write(id, content)
      },
    },
    blobIds: async () => (await readBlobs()).map(([id]) => id),
    snapshot: async () => JSON.stringify([await readRecords(), await readBlobs()]),
  }
}

function latin1(bytes: Uint8Array): string {
  return new TextDecoder('latin1').decode(bytes)
}
