/** Makes every failure of a store the library's own error, so that no driver's words get out. */

import { isVaultError, StorageError } from '../errors.js'
import type { VaultStore } from '../store.js'
import { withoutSecrets } from '../without-secrets.js'

/**
 * The same store, whose rejections, and those of the contents it opens, are all of this library: its own as they are,
 * others as a StorageError.
 */
export function guardStore({ records, blobs }: VaultStore): VaultStore {
  return {
    records: {
      get: (key) => guarded(() => records.get(key)),
      put: (key, record, seen) => guarded(() => records.put(key, record, seen)),
      delete: (key, seen) => guarded(() => records.delete(key, seen)),
      list: (collection, page) => guarded(() => records.list(collection, page)),
    },
    blobs: {
      read: async (id) => {
        const content = await guarded(() => blobs.read(id))
        return content && guardedContent(content)
      },
      write: (id, content) => guarded(() => blobs.write(id, content)),
      delete: (id) => guarded(() => blobs.delete(id)),
    },
  }
}

/** The same content, guarded while it is read. */
function guardedContent(content: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = content.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await guarded(() => reader.read())
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: (reason) => guarded(() => reader.cancel(reason)),
  })
}

async function guarded<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throw isVaultError(error)
      ? error
      : new StorageError('the store failed', { cause: withoutSecrets(error) })
  }
}
