/** A memory store whose entire content can be saved and loaded. */

import { readContent } from '../../base/blob-content.js'
import type { RecordInput, RecordKey, VaultStore } from '../../index.js'
import { createMemoryStore } from '../../storage/memory.js'

/** Everything in a store at one time. */
export interface StoreContents {
  readonly records: readonly SavedRecord[]
  readonly blobs: readonly { readonly id: string; readonly bytes: Uint8Array }[]
}

interface SavedRecord {
  readonly key: RecordKey
  readonly record: RecordInput
  readonly version: number
}

/** A store whose content can be saved and loaded. */
export interface CopyableStore extends VaultStore {
  /** Returns everything that is stored now. */
  save(): Promise<StoreContents>
  /** Replaces the content. Calls in progress do not change the new content. */
  load(contents: StoreContents): Promise<void>
}

/** Creates an empty store in memory. */
export function createCopyableStore(): CopyableStore {
  let current = createCopy()
  return {
    records: {
      get: (key) => current.store.records.get(key),
      async put(key, record, expectedVersion) {
        const { store, saved } = current
        const isWritten = await store.records.put(key, record, expectedVersion)
        if (isWritten) saved.set(nameOf(key), { key, record, version: expectedVersion + 1 })
        return isWritten
      },
      async delete(key, expectedVersion) {
        const { store, saved } = current
        const isDeleted = await store.records.delete(key, expectedVersion)
        if (isDeleted) saved.delete(nameOf(key))
        return isDeleted
      },
      list: (collection, query) => current.store.records.list(collection, query),
    },
    blobs: {
      read: (id) => current.store.blobs.read(id),
      async write(id, content) {
        const { store, blobIds } = current
        await store.blobs.write(id, content)
        blobIds.add(id)
      },
      async delete(id) {
        const { store, blobIds } = current
        await store.blobs.delete(id)
        blobIds.delete(id)
      },
    },
    async save() {
      const { store, saved, blobIds } = current
      const records = [...saved.values()]
      // Every blob is opened before the first one is read, so that no later call changes the copy.
      const opened = [...blobIds].map(async (id) => ({ id, content: await store.blobs.read(id) }))
      const blobs: { id: string; bytes: Uint8Array }[] = []
      for (const { id, content } of await Promise.all(opened))
        if (content !== undefined) blobs.push({ id, bytes: await readContent(content) })
      return { records, blobs }
    },
    async load(contents) {
      const copy = createCopy()
      const { store, saved, blobIds } = copy
      for (const entry of contents.records) {
        const { key, record, version } = entry
        // A record can reach a version only through all versions before it.
        for (let before = 0; before < version; before++)
          await store.records.put(key, record, before)
        saved.set(nameOf(key), entry)
      }
      for (const { id, bytes } of contents.blobs) {
        await store.blobs.write(id, bytes)
        blobIds.add(id)
      }
      current = copy
    },
  }
}

/** Creates a memory store, and keeps the keys of everything in it. */
function createCopy() {
  const store = createMemoryStore()
  return { store, saved: new Map<string, SavedRecord>(), blobIds: new Set<string>() }
}

function nameOf({ collection, id }: RecordKey): string {
  return `${collection} ${id}`
}
