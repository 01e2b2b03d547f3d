/** Spreads vaults over several stores: all that belongs to a vault lies in the one that its id chooses. */

import type { ListedRecord, VaultStore } from 'cofferkit'

/** Which store a vault is in depends on how many stores there are: fix their number once, and in their order. */
export function routeVaults(stores: readonly VaultStore[]): VaultStore {
  const storeOf = (vaultId: string): VaultStore => {
    let hash = 0x811c9dc5
    for (const byte of new TextEncoder().encode(vaultId))
      hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
    const [store] = stores.slice(hash % stores.length)
    if (store === undefined) throw new RangeError('there must be a store')
    return store
  }
  const recordsOf = (collection: string, id: string): VaultStore['records'] =>
    storeOf(vaultIn(collection) ?? id).records
  const contentsOf = (id: string): VaultStore['blobs'] => storeOf(id.split('/')[0] ?? '').blobs
  return {
    records: {
      get: (key) => recordsOf(key.collection, key.id).get(key),
      put: (key, record, seen) => recordsOf(key.collection, key.id).put(key, record, seen),
      delete: (key, seen) => recordsOf(key.collection, key.id).delete(key, seen),
      async list(collection, page) {
        const vaultId = vaultIn(collection)
        if (vaultId !== undefined) return storeOf(vaultId).records.list(collection, page)
        const lists = await Promise.all(stores.map(({ records }) => records.list(collection, page)))
        const byId = lists.flat().sort((left, right) => (left.id < right.id ? -1 : 1))
        return cut(byId.slice(0, page.limit), page.maxBytes)
      },
    },
    blobs: {
      read: (id) => contentsOf(id).read(id),
      write: (id, content) => contentsOf(id).write(id, content),
      delete: (id) => contentsOf(id).delete(id),
    },
  }
}

/** Ends the page as each store has ended its own: what one of them has left out comes before the rest of the others. */
function cut(
  records: readonly ListedRecord[],
  maxBytes = Number.POSITIVE_INFINITY,
): readonly ListedRecord[] {
  let bytes = 0
  return records.filter(({ body }) => {
    const isBefore = bytes < maxBytes
    bytes += body.length
    return isBefore
  })
}

/** The vault whose collection it is, such as that of `items/{vaultId}`; none if it holds a record for each vault. */
function vaultIn(collection: string): string | undefined {
  const slash = collection.indexOf('/')
  return slash < 0 ? undefined : collection.slice(slash + 1)
}
