/** Record stores that break the store contract, each in a common way. */

import type { RecordInput, RecordKey, RecordStore, StoredRecord } from 'cofferkit'

type BreakRecords = (inner: RecordStore) => RecordStore

/** The broken variants by name. Each wraps a store that is correct. */
export const brokenStores: ReadonlyMap<string, BreakRecords> = new Map<string, BreakRecords>([
  ['compares, then writes', compareThenWrite],
  ['ignores the expected version of a put', overwriteAlways],
  ['acknowledges a write that it has not made', acknowledgeTooEarly],
  ['reads from a cache', readFromCache],
  ['ignores the expected version of a delete', deleteAlways],
  ['retries a rejected put', retryRejectedPuts],
  ['lists from a replica that lags', listFromCopy],
])

/** Compares and writes in one step for callers of this process, but not of others. */
export function lockWithinProcess(inner: RecordStore): RecordStore {
  const { put, delete: remove, ...rest } = compareThenWrite(inner)
  let last: Promise<unknown> = Promise.resolve()
  const lock = (write: () => Promise<boolean>): Promise<boolean> => {
    const done = last.then(write)
    last = done.catch(() => {})
    return done
  }
  return {
    ...rest,
    put: (key, record, expectedVersion) => lock(() => put(key, record, expectedVersion)),
    delete: (key, expectedVersion) => lock(() => remove(key, expectedVersion)),
  }
}

/** Reads and compares in one statement and writes in another. */
function compareThenWrite(inner: RecordStore): RecordStore {
  const { get, overwrite, ...rest } = withStoredVersion(inner)
  return {
    ...rest,
    get,
    async put(key, record, expectedVersion) {
      if (((await get(key))?.version ?? 0) !== expectedVersion) return false
      await nextTurn()
      await overwrite(key, record, expectedVersion + 1)
      return true
    },
  }
}

/** The last write wins. */
function overwriteAlways(inner: RecordStore): RecordStore {
  const { overwrite, ...rest } = withStoredVersion(inner)
  return {
    ...rest,
    async put(key, record, expectedVersion) {
      await overwrite(key, record, expectedVersion + 1)
      return true
    },
  }
}

function acknowledgeTooEarly(inner: RecordStore): RecordStore {
  let count = 0
  return {
    ...inner,
    put: async (key, record, expectedVersion) =>
      ++count % 50 === 0 || inner.put(key, record, expectedVersion),
  }
}

function readFromCache(inner: RecordStore): RecordStore {
  const cache = new Map<string, StoredRecord | undefined>()
  let count = 0
  return {
    ...inner,
    async get(key) {
      const name = `${key.collection} ${key.id}`
      if (++count % 20 === 0 && cache.has(name)) return cache.get(name)
      const found = await inner.get(key)
      cache.set(name, found)
      return found
    },
  }
}

function deleteAlways(inner: RecordStore): RecordStore {
  return {
    ...inner,
    async delete(key, expectedVersion) {
      const stored = await inner.get(key)
      return expectedVersion > 0 && stored !== undefined && inner.delete(key, stored.version)
    },
  }
}

/** As a driver that repeats a statement whose response was lost, and returns the second response. */
function retryRejectedPuts(inner: RecordStore): RecordStore {
  let count = 0
  return {
    ...inner,
    async put(key, record, expectedVersion) {
      const done = await inner.put(key, record, expectedVersion)
      return ++count % 50 === 0 ? inner.put(key, record, expectedVersion) : done
    },
  }
}

/** As a read replica. */
function listFromCopy(inner: RecordStore): RecordStore {
  const copies = new Map<string, ReturnType<RecordStore['list']>>()
  let count = 0
  return {
    ...inner,
    list(collection, page) {
      const name = JSON.stringify([collection, page])
      const copy = copies.get(name)
      if (++count % 10 === 0 && copy !== undefined) return copy
      const list = inner.list(collection, page)
      copies.set(name, list)
      return list
    },
  }
}

/** A store that can also be overwritten. It stores the given version in front of the body. */
interface OverwritableStore extends RecordStore {
  overwrite(key: RecordKey, record: RecordInput, version: number): Promise<void>
}

function withStoredVersion(inner: RecordStore): OverwritableStore {
  const overwrite = async (key: RecordKey, { body, ...rest }: RecordInput, version: number) => {
    const numbered = new Uint8Array(4 + body.length)
    new DataView(numbered.buffer).setUint32(0, version)
    numbered.set(body, 4)
    let expectedVersion: number
    do expectedVersion = (await inner.get(key))?.version ?? 0
    while (!(await inner.put(key, { ...rest, body: numbered }, expectedVersion)))
  }
  return {
    overwrite,
    get: async (key) => removeVersion(await inner.get(key)),
    async put(key, record, expectedVersion) {
      await overwrite(key, record, expectedVersion + 1)
      return true
    },
    async delete(key, expectedVersion) {
      const stored = await inner.get(key)
      if (stored === undefined || removeVersion(stored)?.version !== expectedVersion) return false
      return inner.delete(key, stored.version)
    },
    list: async (collection, page) =>
      (await inner.list(collection, page)).map((record) => ({
        ...record,
        ...removeVersion(record),
      })),
  }
}

function removeVersion(stored: StoredRecord | undefined): StoredRecord | undefined {
  if (stored === undefined) return undefined
  const { buffer, byteOffset } = stored.body
  const version = new DataView(buffer, byteOffset).getUint32(0)
  return { version, body: stored.body.subarray(4) }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
