/**
 * A store in memory: for tests, for demonstrations, and for what may be lost when the process ends.
 * @module cofferkit/memory
 */

import { StorageError } from '../errors.js'
import type {
  BlobStore,
  ListedRecord,
  RecordKey,
  RecordQuery,
  RecordStore,
  StoredRecord,
  VaultStore,
} from '../store.js'

interface Entry extends StoredRecord {
  readonly label: string | undefined
}

interface Collection {
  readonly records: Map<string, Entry>
  /** The ids of each label, once somebody has asked for one. */
  labels: Map<string, Set<string>> | undefined
  /** The ids in ascending order, once somebody has asked for it and until an id comes or goes. */
  order: readonly string[] | undefined
}

/** An empty store. It keeps every promise of a store but to outlive the process. */
export function createMemoryStore(): VaultStore {
  return { records: createRecords(), blobs: createBlobs() }
}

function createRecords(): RecordStore {
  const collections = new Map<string, Collection>()

  const write = ({ collection: name, id }: RecordKey, record: Entry | undefined): void => {
    const collection = collections.get(name) ?? {
      records: new Map(),
      labels: undefined,
      order: undefined,
    }
    collections.set(name, collection)
    const before = collection.records.get(id)
    if (collection.labels) updateIndex(collection.labels, id, before?.label, record?.label)
    if (before === undefined || record === undefined) collection.order = undefined
    if (record === undefined) collection.records.delete(id)
    else collection.records.set(id, record)
  }

  const read = ({ collection, id }: RecordKey): Entry | undefined =>
    collections.get(collection)?.records.get(id)

  return {
    async get(key) {
      const record = read(key)
      return record && { version: record.version, body: record.body }
    },
    async put(key, { body, indexKey }, expectedVersion) {
      if ((read(key)?.version ?? 0) !== expectedVersion) return false
      write(key, { version: expectedVersion + 1, body: body, label: indexKey })
      return true
    },
    async delete(key, expectedVersion) {
      if (expectedVersion === 0 || read(key)?.version !== expectedVersion) return false
      write(key, undefined)
      return true
    },
    async list(name, page) {
      const collection = collections.get(name)
      return collection === undefined ? [] : listed(collection, page)
    },
  }
}

function listed(
  collection: Collection,
  { indexKey, after, limit, maxBytes = Number.POSITIVE_INFINITY }: RecordQuery,
): ListedRecord[] {
  const ids =
    indexKey === undefined
      ? sortedIds(collection)
      : [...(labelsOf(collection).get(indexKey) ?? [])].sort()
  const start = after === undefined ? 0 : upperBound(ids, after)
  const found: ListedRecord[] = []
  let bytes = 0
  for (const id of ids.slice(start, start + limit)) {
    const { version, body } = collection.records.get(id) as Entry
    found.push({ id, version, body })
    bytes += body.length
    if (bytes >= maxBytes) break
  }
  return found
}

function sortedIds(collection: Collection): readonly string[] {
  collection.order ??= [...collection.records.keys()].sort()
  return collection.order
}

function labelsOf(collection: Collection): Map<string, Set<string>> {
  if (collection.labels === undefined) {
    collection.labels = new Map()
    for (const [id, { label: indexKey }] of collection.records)
      updateIndex(collection.labels, id, undefined, indexKey)
  }
  return collection.labels
}

/** Where the first id greater than `after` stands, found by halving. */
function upperBound(ids: readonly string[], after: string): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ids[middle] as string) <= after) low = middle + 1
    else high = middle
  }
  return low
}

function updateIndex(
  labels: Map<string, Set<string>>,
  id: string,
  before: string | undefined,
  after: string | undefined,
): void {
  if (before === after) return
  if (before !== undefined) {
    const ids = labels.get(before)
    ids?.delete(id)
    if (ids?.size === 0) labels.delete(before)
  }
  if (after !== undefined) labels.set(after, (labels.get(after) ?? new Set()).add(id))
}

function createBlobs(): BlobStore {
  const blobs = new Map<string, Blob>()
  return {
    async read(id) {
      return blobs.get(id)?.stream()
    },
    async write(id, content) {
      const chunks: Uint8Array<ArrayBuffer>[] = []
      const keep = (chunk: Uint8Array): void => void chunks.push(new Uint8Array(chunk))
      await content.pipeTo(new WritableStream({ write: keep }))
      const blob = new Blob(chunks)
      if (blobs.has(id)) throw new StorageError('a blob of this id is already there')
      blobs.set(id, blob)
    },
    async delete(id) {
      blobs.delete(id)
    },
  }
}
