/** Record stores that break the promise that everything stands on, each in a way that is often met. */

import type { RecordInput, RecordKey, RecordStore, StoredRecord } from 'cofferkit'

type BreakRecords = (inner: RecordStore) => RecordStore

/** The ways, by name. Each is put around a store that keeps its promises. */
export const brokenStores: ReadonlyMap<string, BreakRecords> = new Map<string, BreakRecords>([
  ['compares, then writes', compareThenWrite],
  ['writes whatever was seen', overwrite],
  ['acknowledges what it has not written', acknowledgeTooEarly],
  ['answers from a cache', readFromCache],
  ['deletes whatever was seen', deleteAlways],
  ['attempts a rejected put again', retryRejectedPuts],
  ['lists from a copy that lags', listFromCopy],
])

/** Read, compare, write: two statements where one is needed. */
function compareThenWrite(inner: RecordStore): RecordStore {
  const { get, overwrite, ...rest } = numbered(inner)
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

/** The naive store: read, change, write. */
function overwrite(inner: RecordStore): RecordStore {
  const { overwrite, ...rest } = numbered(inner)
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

/** A driver that repeats a statement whose answer it has lost, and passes the second answer on. */
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

/** A read replica. */
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

/** A store that can also be written over: it keeps the version that it is told before the body. */
interface NumberedStore extends RecordStore {
  overwrite(key: RecordKey, record: RecordInput, version: number): Promise<void>
}

function numbered(inner: RecordStore): NumberedStore {
  const overwrite = async (key: RecordKey, { body, ...rest }: RecordInput, version: number) => {
    const marked = new Uint8Array(4 + body.length)
    new DataView(marked.buffer).setUint32(0, version)
    marked.set(body, 4)
    let expectedVersion: number
    do expectedVersion = (await inner.get(key))?.version ?? 0
    while (!(await inner.put(key, { ...rest, body: marked }, expectedVersion)))
  }
  return {
    overwrite,
    get: async (key) => unnumbered(await inner.get(key)),
    async put(key, record, expectedVersion) {
      await overwrite(key, record, expectedVersion + 1)
      return true
    },
    async delete(key, expectedVersion) {
      const stored = await inner.get(key)
      if (stored === undefined || unnumbered(stored)?.version !== expectedVersion) return false
      return inner.delete(key, stored.version)
    },
    list: async (collection, page) =>
      (await inner.list(collection, page)).map((record) => ({ ...record, ...unnumbered(record) })),
  }
}

function unnumbered(stored: StoredRecord | undefined): StoredRecord | undefined {
  if (stored === undefined) return undefined
  const { buffer, byteOffset } = stored.body
  const version = new DataView(buffer, byteOffset).getUint32(0)
  return { version, body: stored.body.subarray(4) }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
