/** Broken variants of a record store. */

import type { RecordInput, RecordKey, RecordStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import type { BrokenVariant } from '../broken-variant.js'

type Store = () => RecordStore

/** At least one for every case of `recordStoreContract`. */
export const brokenRecordStores: readonly BrokenVariant<Store>[] = [
  variant('returns undefined when nothing was written', /^an unwritten/, (inner) => ({
    get: async (key) => (await inner.get(key)) ?? { version: 0, body: new Uint8Array(0) },
  })),
  variant('returns the written record byte for byte, as version 1', /^the record/, (inner) => ({
    put: (key, { body, ...record }, expectedVersion) => {
      const asText = new TextEncoder().encode(new TextDecoder().decode(body))
      return inner.put(key, { ...record, body: asText }, expectedVersion)
    },
  })),
  variant('stores an empty body and a body of 1,000,000 bytes', /^the empty body/, (inner) => ({
    get: async (key) => {
      const stored = await inner.get(key)
      return stored?.body.length === 0 ? undefined : stored
    },
  })),
  variant(
    'replaces a record at the expected version and increments the version',
    /^put at version 2/,
    (inner) => ({
      put: async (key, record, expectedVersion) =>
        expectedVersion !== 2 && inner.put(key, record, expectedVersion),
    }),
  ),
  variant(
    'returns false from put at another version and leaves the record unchanged',
    /^put at version 3/,
    (inner) => ({
      put: async (key, record, expectedVersion) => {
        const stored = await inner.get(key)
        return inner.put(
          key,
          record,
          stored === undefined ? expectedVersion : Math.min(expectedVersion, stored.version),
        )
      },
    }),
  ),
  variant(
    'lets exactly one of many concurrent writers of the same version win',
    /^winners at version 0: expected 1, got 16/,
    (inner) => ({
      put: async (key, record, expectedVersion) => {
        if (((await inner.get(key))?.version ?? 0) !== expectedVersion) return false
        return overwrite(inner, key, record)
      },
    }),
  ),
  variant(
    'says that nothing acknowledged can be rolled back, if it has canRollBack',
    /^canRollBack after a put: expected false, got true/,
    () => ({ canRollBack: async () => true }),
  ),
  variant('loses no update when concurrent writers retry on conflict', /^the count/, (inner) => {
    let lost = false
    return {
      put: async (key, record, expectedVersion) => {
        if (expectedVersion !== 10 || lost) return inner.put(key, record, expectedVersion)
        lost = true
        return true
      },
    }
  }),
  variant('deletes a record only at the expected version', /^delete at version 1/, (inner) => ({
    delete: async (key, expectedVersion) => {
      const stored = await inner.get(key)
      return stored !== undefined && expectedVersion > 0 && inner.delete(key, stored.version)
    },
  })),
  variant(
    'starts at version 1 again after a delete',
    /^put at version 0 after the delete/,
    (inner) => {
      const deletedKeys = new Set<string>()
      return {
        put: async (key, record, expectedVersion) =>
          !deletedKeys.has(nameOf(key)) && inner.put(key, record, expectedVersion),
        delete: async (key, expectedVersion) => {
          const done = await inner.delete(key, expectedVersion)
          if (done) deletedKeys.add(nameOf(key))
          return done
        },
      }
    },
  ),
  variant(
    'lets either a writer or a deleter of the same version win, not both',
    /^winners/,
    (inner) => ({
      delete: async (key, expectedVersion) => {
        if ((await inner.get(key))?.version !== expectedVersion) return false
        while (!(await inner.delete(key, (await inner.get(key))?.version ?? 0)));
        return true
      },
    }),
  ),
  variant(
    'keeps collections and ids separate, whatever printable characters they contain',
    /^records of/,
    (inner) => {
      const joined = (key: RecordKey): RecordKey => ({ collection: 'all', id: nameOf(key) })
      return {
        get: (key) => inner.get(joined(key)),
        put: (key, record, expectedVersion) => inner.put(joined(key), record, expectedVersion),
        delete: (key, expectedVersion) => inner.delete(joined(key), expectedVersion),
        list: async (collection, { limit, after = '', indexKey }) => {
          const all = await inner.list('all', {
            limit: 1000,
            ...(indexKey !== undefined && { indexKey }),
          })
          const own = all.filter(({ id }) => id.startsWith(`${collection}/`))
          const named = own.map((record) => ({
            ...record,
            id: record.id.slice(collection.length + 1),
          }))
          return named.filter(({ id }) => id > after).slice(0, limit)
        },
      }
    },
  ),
  variant('does not modify the bytes passed to put', /^the bytes of the writer/, (inner) => ({
    put: async (key, { body, ...rest }, expectedVersion) => {
      const done = await inner.put(key, { body: body.slice(), ...rest }, expectedVersion)
      body.fill(0)
      return done
    },
  })),
  variant(
    'lists records in ascending byte order of the id, with version and body',
    /^the list/,
    (inner) => ({
      list: async (collection, page) =>
        [...(await inner.list(collection, page))].sort((left, right) =>
          left.id.localeCompare(right.id),
        ),
    }),
  ),
  variant('lists in pages without gaps or duplicates', /^all pages/, (inner) => ({
    list: async (collection, { after, ...page }) => {
      const rest = await inner.list(collection, { ...page, limit: 1000 })
      return rest
        .filter(({ id }) => after === undefined || id > `${after}x`)
        .slice(after === undefined ? 0 : 1)
        .slice(0, page.limit)
    },
  })),
  variant(
    'returns as many records as the limit, even 500 in one page',
    /^a page of 500/,
    (inner) => ({
      list: (collection, { limit, ...page }) =>
        inner.list(collection, { ...page, limit: Math.min(limit, 50) }),
    }),
  ),
  variant('lists the latest writes, without deleted records', /^the list/, (inner) => {
    const lists = new Map<string, Awaited<ReturnType<RecordStore['list']>>>()
    return {
      list: async (collection, page) => {
        const name = JSON.stringify([collection, page])
        const list = lists.get(name) ?? (await inner.list(collection, page))
        lists.set(name, list)
        return list
      },
    }
  }),
  variant(
    'lists by index key exactly the records that were last written with it',
    /^index key mail/,
    (inner) => ({
      put: (key, { indexKey, ...record }, expectedVersion) =>
        inner.put(
          key,
          { ...record, ...(indexKey !== undefined && { indexKey: indexKey.trim() }) },
          expectedVersion,
        ),
    }),
  ),
  variant(
    'removes an index key when its record is written with another or none, or is deleted',
    /^the old index key/,
    (inner) => {
      const indexKeys = new Map<string, string>()
      return {
        put: (key, { body, indexKey = indexKeys.get(nameOf(key)) }, expectedVersion) => {
          if (indexKey !== undefined) indexKeys.set(nameOf(key), indexKey)
          return inner.put(
            key,
            { body, ...(indexKey !== undefined && { indexKey }) },
            expectedVersion,
          )
        },
      }
    },
  ),
  variant('lists by index key in pages', /^the pages do not end/, (inner) => ({
    list: (collection, { after, ...page }) =>
      inner.list(
        collection,
        page.indexKey === undefined && after !== undefined ? { ...page, after } : page,
      ),
  })),
  variant(
    'ends a page after the record whose body reaches maxBytes',
    /^a page of 1 bytes/,
    (inner) => ({
      list: (collection, { maxBytes: _maxBytes, ...page }) => inner.list(collection, page),
    }),
  ),
  variant(
    'returns at least one record per page, however small maxBytes is',
    /^empty bodies and one more/,
    (inner) => ({
      list: async (collection, page) => {
        const fits = { ...page, maxBytes: (page.maxBytes ?? Number.MAX_SAFE_INTEGER) + 1 }
        const found = await inner.list(collection, fits)
        const bytes = found.reduce((sum, { body }) => sum + body.length, 0)
        return bytes > fits.maxBytes ? found.slice(0, -1) : found
      },
    }),
  ),
  // Two shards whose pages are merged without applying the limit again.
  variant(
    'continues after a page that was ended by maxBytes',
    /^all pages of 25 bytes/,
    (inner) => ({
      list: async (collection, { maxBytes = Number.POSITIVE_INFINITY, ...page }) => {
        const all = await inner.list(collection, page)
        const shards = [0, 1].map((shard) => {
          let bytes = 0
          return all.filter(({ id, body }) => {
            if (id.charCodeAt(id.length - 1) % 2 !== shard || bytes >= maxBytes) return false
            bytes += body.length
            return true
          })
        })
        return shards.flat().sort((one, other) => (one.id < other.id ? -1 : 1))
      },
    }),
  ),
  variant(
    'counts only bodies with the index key towards maxBytes',
    /^the first page of an index key/,
    (inner) => ({
      list: async (collection, { indexKey, ...page }) => {
        if (indexKey === undefined || page.maxBytes === undefined)
          return inner.list(collection, {
            ...page,
            ...(indexKey !== undefined && { indexKey }),
          })
        const ids = (await inner.list(collection, { indexKey, limit: 1000 })).map(({ id }) => id)
        return (await inner.list(collection, page)).filter(({ id }) => ids.includes(id))
      },
    }),
  ),
]

function variant(
  caseName: string,
  message: RegExp,
  breakStore: (inner: RecordStore) => Partial<RecordStore>,
): BrokenVariant<Store> {
  const subject: Store = () => {
    const { records } = createMemoryStore()
    return { ...records, ...breakStore(records) }
  }
  return { caseName, message, subject }
}

async function overwrite(inner: RecordStore, key: RecordKey, record: RecordInput): Promise<true> {
  while (!(await inner.put(key, record, (await inner.get(key))?.version ?? 0)));
  return true
}

function nameOf({ collection, id }: RecordKey): string {
  return `${collection}/${id}`
}
