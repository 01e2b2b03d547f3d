/** Record stores with one defect each, and the case of the contract that sees it. */

import type { RecordInput, RecordKey, RecordStore } from '../../../src/index.js'
import { createMemoryStore } from '../../../src/storage/memory.js'
import type { BrokenTwin } from '../broken-variant.js'

type Store = () => RecordStore

/** One for every case of `recordStoreContract`. */
export const brokenRecordStores: readonly BrokenTwin<Store>[] = [
  twin('answers undefined where nothing was written', /^an empty place/, (inner) => ({
    get: async (key) => (await inner.get(key)) ?? { version: 0, body: new Uint8Array(0) },
  })),
  twin('answers what was written, byte for byte, as version 1', /^the record/, (inner) => ({
    put: (key, { body, ...record }, expectedVersion) => {
      const asText = new TextEncoder().encode(new TextDecoder().decode(body))
      return inner.put(key, { ...record, body: asText }, expectedVersion)
    },
  })),
  twin('keeps an empty body and one of a million bytes', /^the empty body/, (inner) => ({
    get: async (key) => {
      const stored = await inner.get(key)
      return stored?.body.length === 0 ? undefined : stored
    },
  })),
  twin('writes over the version that was seen, as the next one', /^put over 2/, (inner) => ({
    put: async (key, record, expectedVersion) =>
      expectedVersion !== 2 && inner.put(key, record, expectedVersion),
  })),
  twin(
    'refuses to write over a version that was not seen, and leaves what is there',
    /^put over 3/,
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
  twin(
    'lets one of many concurrent writers over the same version win',
    /^winners over version 0: expected 1, got 16/,
    (inner) => ({
      put: async (key, record, expectedVersion) => {
        if (((await inner.get(key))?.version ?? 0) !== expectedVersion) return false
        return overwrite(inner, key, record)
      },
    }),
  ),
  twin(
    'loses none of many concurrent changes that try again when they are refused',
    /^the count/,
    (inner) => {
      let lost = false
      return {
        put: async (key, record, expectedVersion) => {
          if (expectedVersion !== 10 || lost) return inner.put(key, record, expectedVersion)
          lost = true
          return true
        },
      }
    },
  ),
  twin('deletes the version that was seen, and nothing else', /^delete of version 1/, (inner) => ({
    delete: async (key, expectedVersion) => {
      const stored = await inner.get(key)
      return stored !== undefined && expectedVersion > 0 && inner.delete(key, stored.version)
    },
  })),
  twin(
    'has an empty place again after a delete, which begins at version 1',
    /^put into the empty place/,
    (inner) => {
      const graves = new Set<string>()
      return {
        put: async (key, record, expectedVersion) =>
          !graves.has(nameOf(key)) && inner.put(key, record, expectedVersion),
        delete: async (key, expectedVersion) => {
          const done = await inner.delete(key, expectedVersion)
          if (done) graves.add(nameOf(key))
          return done
        },
      }
    },
  ),
  twin(
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
  twin(
    'keeps collections and ids apart, whatever printable characters they have',
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
  twin('leaves the bytes that it is handed as they are', /^the bytes of the writer/, (inner) => ({
    put: async (key, { body, ...rest }, expectedVersion) => {
      const done = await inner.put(key, { body: body.slice(), ...rest }, expectedVersion)
      body.fill(0)
      return done
    },
  })),
  twin('lists ascending by the bytes of the id, with version and body', /^the list/, (inner) => ({
    list: async (collection, page) =>
      [...(await inner.list(collection, page))].sort((left, right) =>
        left.id.localeCompare(right.id),
      ),
  })),
  twin('lists in pages that leave nothing out and repeat nothing', /^all pages/, (inner) => ({
    list: async (collection, { after, ...page }) => {
      const rest = await inner.list(collection, { ...page, limit: 1000 })
      return rest
        .filter(({ id }) => after === undefined || id > `${after}x`)
        .slice(after === undefined ? 0 : 1)
        .slice(0, page.limit)
    },
  })),
  twin('lists what was written last, without what was deleted', /^the list/, (inner) => {
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
  twin(
    'finds by label exactly the records that were last written with it',
    /^label mail/,
    (inner) => ({
      put: (key, { indexKey, ...record }, expectedVersion) =>
        inner.put(
          key,
          { ...record, ...(indexKey !== undefined && { indexKey: indexKey.trim() }) },
          expectedVersion,
        ),
    }),
  ),
  twin(
    'forgets a label when its record gets another, none, or is deleted',
    /^the old label/,
    (inner) => {
      const labels = new Map<string, string>()
      return {
        put: (key, { body, indexKey = labels.get(nameOf(key)) }, expectedVersion) => {
          if (indexKey !== undefined) labels.set(nameOf(key), indexKey)
          return inner.put(
            key,
            { body, ...(indexKey !== undefined && { indexKey }) },
            expectedVersion,
          )
        },
      }
    },
  ),
  twin('lists by label in pages too', /^pages do not end/, (inner) => ({
    list: (collection, { after, ...page }) =>
      inner.list(
        collection,
        page.indexKey === undefined && after !== undefined ? { ...page, after } : page,
      ),
  })),
  twin(
    'ends a page after the record with which the bodies reach maxBytes',
    /^a page of 1 bytes/,
    (inner) => ({
      list: (collection, { maxBytes: _maxBytes, ...page }) => inner.list(collection, page),
    }),
  ),
  twin(
    'holds a record in each page, however few bytes maxBytes is',
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
  // Two shards whose pages are merged and not cut again.
  twin('goes on after a page that maxBytes has ended', /^all pages of 25 bytes/, (inner) => ({
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
  })),
  twin(
    'counts only the bodies of the label towards maxBytes',
    /^the first page of a label/,
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

function twin(
  caught: string,
  expectedVersion: RegExp,
  breaking: (inner: RecordStore) => Partial<RecordStore>,
): BrokenTwin<Store> {
  const subject: Store = () => {
    const { records } = createMemoryStore()
    return { ...records, ...breaking(records) }
  }
  return { caught, seen: expectedVersion, subject }
}

async function overwrite(inner: RecordStore, key: RecordKey, record: RecordInput): Promise<true> {
  while (!(await inner.put(key, record, (await inner.get(key))?.version ?? 0)));
  return true
}

function nameOf({ collection, id }: RecordKey): string {
  return `${collection}/${id}`
}
