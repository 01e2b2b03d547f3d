/**
 * A store in memory, for tests, demos and data that can be lost when the process ends.
 * @module cofferkit/memory
 */

import { toStream } from '../blob-content.js'
import { StorageError } from '../errors.js'
import type {
  BlobContent,
  BlobStore,
  ListedRecord,
  RecordKey,
  RecordQuery,
  RecordStore,
  StoredRecord,
  VaultStore,
} from '../store.js'

/** The most bytes of a blob that is returned as bytes, not as a stream. */
const maxSmallBytes = 65_536

interface Entry extends StoredRecord {
  readonly indexKey: string | undefined
}

interface Collection {
  readonly records: Map<string, Entry>
  /** The ids of each index key. Undefined until the first list by index key. */
  idsByIndexKey: Map<string, Set<string>> | undefined
  /** All ids, ascending. Undefined until the first list, and after an id was added or removed. */
  sortedIds: readonly string[] | undefined
}

/**
 * Creates an empty store. It keeps every guarantee of a store except durability: everything is lost
 * when the process ends.
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

function createRecords(): RecordStore {
  const collections = new Map<string, Collection>()

  const write = ({ collection: name, id }: RecordKey, record: Entry | undefined): void => {
    const collection = collections.get(name) ?? {
      records: new Map(),
      idsByIndexKey: undefined,
      sortedIds: undefined,
    }
    collections.set(name, collection)
    const before = collection.records.get(id)
    if (collection.idsByIndexKey)
      updateIndex(collection.idsByIndexKey, id, before?.indexKey, record?.indexKey)
    if (before === undefined || record === undefined) collection.sortedIds = undefined
    if (record === undefined) collection.records.delete(id)
    else collection.records.set(id, record)
  }

  return {
    async get(key) {
      const record = collections.get(key.collection)?.records.get(key.id)
      return record && { version: record.version, body: record.body }
    },
    async put(key, { body, indexKey }, expectedVersion) {
      const current = collections.get(key.collection)?.records.get(key.id)
      if ((current?.version ?? 0) !== expectedVersion) return false
      write(key, { version: expectedVersion + 1, body, indexKey })
      return true
    },
    async delete(key, expectedVersion) {
      if (
        expectedVersion === 0 ||
        collections.get(key.collection)?.records.get(key.id)?.version !== expectedVersion
      )
        return false
      write(key, undefined)
      return true
    },
    async list(name, page) {
      const collection = collections.get(name)
      return collection === undefined ? [] : listPage(collection, page)
    },
  }
}

function listPage(
  collection: Collection,
  { indexKey, after, limit, maxBytes = Number.POSITIVE_INFINITY }: RecordQuery,
): ListedRecord[] {
  const ids =
    indexKey === undefined
      ? loadSortedIds(collection)
      : [...(loadIndex(collection).get(indexKey) ?? [])].sort()
  const start = after === undefined ? 0 : upperBound(ids, after)
  const found: ListedRecord[] = []
  let bytes = 0
  for (const id of ids.slice(start, start + limit)) {
    const record = collection.records.get(id)
    if (record === undefined) continue
    found.push({ id, version: record.version, body: record.body })
    bytes += record.body.length
    if (bytes >= maxBytes) break
  }
  return found
}

function loadSortedIds(collection: Collection): readonly string[] {
  collection.sortedIds ??= [...collection.records.keys()].sort()
  return collection.sortedIds
}

function loadIndex(collection: Collection): Map<string, Set<string>> {
  if (collection.idsByIndexKey === undefined) {
    collection.idsByIndexKey = new Map()
    for (const [id, { indexKey }] of collection.records)
      updateIndex(collection.idsByIndexKey, id, undefined, indexKey)
  }
  return collection.idsByIndexKey
}

/** Returns the index of the first id greater than `after`, by binary search. */
function upperBound(ids: readonly string[], after: string): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    const id = ids[middle]
    if (id !== undefined && id <= after) low = middle + 1
    else high = middle
  }
  return low
}

function updateIndex(
  idsByIndexKey: Map<string, Set<string>>,
  id: string,
  before: string | undefined,
  after: string | undefined,
): void {
  if (before === after) return
  if (before !== undefined) {
    const ids = idsByIndexKey.get(before)
    ids?.delete(id)
    if (ids?.size === 0) idsByIndexKey.delete(before)
  }
  if (after !== undefined) idsByIndexKey.set(after, (idsByIndexKey.get(after) ?? new Set()).add(id))
}

function createBlobs(): BlobStore {
  // A `Blob` streams its bytes without a copy of the whole.
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

/** Returns small contents as bytes, others as a blob. */
async function keepContent(content: BlobContent): Promise<Uint8Array | Blob> {
  if (content instanceof Uint8Array && content.length <= maxSmallBytes) return content
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const append = (chunk: Uint8Array): void => void chunks.push(new Uint8Array(chunk))
  await toStream(content).pipeTo(new WritableStream({ write: append }))
  const blob = new Blob(chunks)
  return blob.size <= maxSmallBytes ? new Uint8Array(await blob.arrayBuffer()) : blob
}
