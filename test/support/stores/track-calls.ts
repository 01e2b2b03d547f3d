/** Wrappers that know which calls of a store have not settled, and which contents have not ended. */

import { toChunks } from '../../../src/base/blob-content.js'
import { passOnCanRollBack } from '../../../src/base/map-store.js'
import type { BlobContent, BlobStore, RecordStore } from '../../../src/index.js'

/** The calls and contents that are open, by name. */
interface Tracked {
  open(): readonly string[]
}

/** Tracks the calls of a record store. */
export function trackRecords(inner: RecordStore): Tracked & { readonly records: RecordStore } {
  const { open, track } = createTracker()
  return {
    open,
    records: {
      get: (key) => track('get', inner.get(key)),
      put: (key, record, version) => track('put', inner.put(key, record, version)),
      delete: (key, version) => track('delete', inner.delete(key, version)),
      list: (collection, query) => track('list', inner.list(collection, query)),
      ...passOnCanRollBack(inner, (check) => track('canRollBack', check())),
    },
  }
}

/** Tracks the calls of a blob store, and the contents that it returns. */
export function trackBlobs(inner: BlobStore): Tracked & { readonly blobs: BlobStore } {
  const { open, track } = createTracker()
  const observe = (content: BlobContent | undefined): BlobContent | undefined => {
    if (content === undefined || content instanceof Uint8Array) return content
    const chunks = toChunks(content)
    const { promise, resolve } = Promise.withResolvers<void>()
    void track('a content', promise)
    async function* observeEnd(): AsyncGenerator<Uint8Array> {
      yield* chunks
      resolve()
    }
    return toChunks(observeEnd(), (reason) => {
      resolve()
      return chunks.return(reason)
    })
  }
  return {
    open,
    blobs: {
      read: async (id) => observe(await track('read', inner.read(id))),
      write: (id, content) => track('write', inner.write(id, content)),
      delete: (id) => track('delete', inner.delete(id)),
    },
  }
}

function createTracker(): Tracked & {
  track<Result>(name: string, call: Promise<Result>): Promise<Result>
} {
  const names = new Set<{ readonly name: string }>()
  return {
    open: () => [...names].map(({ name }) => name),
    track(name, call) {
      const entry = { name }
      names.add(entry)
      const end = (): void => void names.delete(entry)
      call.then(end, end)
      return call
    },
  }
}
