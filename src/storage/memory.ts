/**
 * A store in memory, for tests, demos and data that may be lost when the process ends.
 * @module cofferkit/memory
 */

import { toChunks } from '../base/blob-content.js'
import { countLeading } from '../base/count-leading.js'
import { StorageError } from '../errors.js'
import type {
  BlobContent,
  BlobStore,
  ListedRecord,
  RecordKey,
  RecordStore,
  VaultStore,
} from '../store.js'

/** Blobs of at most this many bytes are returned as bytes, larger ones as chunks. */
const maxSmallBytes = 65_536

/** A stored record. Its bytes are never modified, so they are kept and returned without a copy. */
interface Entry extends ListedRecord {
  readonly indexKey: string | undefined
}

/** The records of a collection, or those of an index key in it. */
interface Group {
  readonly entries: Map<string, Entry>
  /** The ids in ascending order. Undefined until the first list. */
  sortedIds: string[] | undefined
}

/**
 * Creates an empty store. It keeps every guarantee of a store except durability, because everything
 * is lost when the process ends.
 *
 * @example
 * ```ts
 * import { createVaultService } from 'cofferkit'
 * import { createMemoryStore } from 'cofferkit/memory'
 *
 * const service = createVaultService({ store: createMemoryStore() })
 * ```
 */
export function createMemoryStore(): VaultStore {
  return { records: createRecords(), blobs: createBlobs() }
}

/** Comparing and writing are one atomic step, because nothing is awaited in between. */
function createRecords(): RecordStore {
  const groups = new Map<string, Group>()
  const find = ({ collection, id }: RecordKey): Entry | undefined =>
    groups.get(collection)?.entries.get(id)
  const add = (collection: string, entry: Entry): void => {
    for (const name of groupNames(collection, entry)) {
      const group = groups.get(name) ?? { entries: new Map(), sortedIds: undefined }
      const isNew = !group.entries.has(entry.id)
      if (isNew) group.sortedIds?.splice(countSmaller(group.sortedIds, entry.id), 0, entry.id)
      group.entries.set(entry.id, entry)
      groups.set(name, group)
    }
  }
  const remove = (collection: string, entry: Entry): void => {
    for (const name of groupNames(collection, entry)) {
      const group = groups.get(name)
      if (group === undefined) continue
      group.entries.delete(entry.id)
      group.sortedIds?.splice(countSmaller(group.sortedIds, entry.id), 1)
      if (group.entries.size === 0) groups.delete(name)
    }
  }

  return {
    async get(key) {
      const entry = find(key)
      return entry && { version: entry.version, body: entry.body }
    },
    async put({ collection, id }, { body, indexKey }, expectedVersion) {
      const before = find({ collection, id })
      if ((before?.version ?? 0) !== expectedVersion) return false
      if (before && before.indexKey !== indexKey) remove(collection, before)
      add(collection, { id, version: expectedVersion + 1, body, indexKey })
      return true
    },
    async delete(key, expectedVersion) {
      const before = find(key)
      if (before?.version !== expectedVersion) return false
      remove(key.collection, before)
      return true
    },
    async list(collection, { indexKey, after = '', limit, maxBytes = Number.POSITIVE_INFINITY }) {
      const page: ListedRecord[] = []
      const group = groups.get(groupName(collection, indexKey))
      if (group === undefined) return page
      // UTF-16 code units sort like bytes here, because ids are ASCII.
      group.sortedIds ??= [...group.entries.keys()].sort()
      let bytes = 0
      const start = countLeading(group.sortedIds, (id) => id <= after)
      for (const id of group.sortedIds.slice(start, start + limit)) {
        const entry = group.entries.get(id)
        if (entry === undefined) continue
        page.push({ id, version: entry.version, body: entry.body })
        bytes += entry.body.length
        if (bytes >= maxBytes) break
      }
      return page
    },
  }
}

function countSmaller(sortedIds: readonly string[], id: string): number {
  return countLeading(sortedIds, (other) => other < id)
}

/** Returns the names of the groups that contain a record: one, or two if it has an index key. */
function groupNames(collection: string, { indexKey }: Entry): readonly string[] {
  return indexKey === undefined ? [collection] : [collection, groupName(collection, indexKey)]
}

/** Returns the name of a group. The name of a collection is printable and has no line break. */
function groupName(collection: string, indexKey: string | undefined): string {
  return indexKey === undefined ? collection : `${collection}\n${indexKey}`
}

function createBlobs(): BlobStore {
  const blobs = new Map<string, Uint8Array | Blob>()
  return {
    async read(id) {
      const content = blobs.get(id)
      return content instanceof Blob ? content.stream() : content
    },
    async write(id, content) {
      const stored = await keepContent(content)
      if (blobs.has(id)) throw new StorageError('a blob with this id already exists')
      blobs.set(id, stored)
    },
    async delete(id) {
      blobs.delete(id)
    },
  }
}

/** Returns a small content as bytes, and a larger one as a `Blob`, which streams without a copy. */
async function keepContent(content: BlobContent): Promise<Uint8Array | Blob> {
  if (content instanceof Uint8Array && content.length <= maxSmallBytes) return content
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for await (const chunk of toChunks(content)) chunks.push(new Uint8Array(chunk))
  const blob = new Blob(chunks)
  return blob.size > maxSmallBytes ? blob : new Uint8Array(await blob.arrayBuffer())
}
