/** A store that distributes vaults over several stores. All records and blobs of a vault are in one. */

import type { ListedRecord, VaultStore } from 'cofferkit'

/**
 * Returns a store that picks one of `stores` by a hash of the vault's id. The choice depends on
 * the number of stores and on their order, so neither can change later.
 *
 * @example
 * const serverOfShard = [0, 1, 0, 1, 0, 1, 0, 1] // indexes of `pools`, which are pools of pg
 * const store = routeVaults(
 *   serverOfShard.map((server, number) =>
 *     createPostgresStore(pools[server], { schema: `shard_${number}`, prepare: true }),
 *   ),
 * )
 */
export function routeVaults(stores: readonly VaultStore[]): VaultStore {
  const storeOf = (vaultId: string): VaultStore => {
    let hash = 0x811c9dc5
    for (const byte of new TextEncoder().encode(vaultId))
      hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
    const [store] = stores.slice(hash % stores.length)
    if (store === undefined)
      throw new RangeError('at least one store is required')
    return store
  }
  const recordsOf = (collection: string, id: string): VaultStore['records'] =>
    storeOf(vaultIdOf(collection) ?? id).records
  const blobsOf = (id: string): VaultStore['blobs'] =>
    storeOf(id.split('/')[0] ?? '').blobs
  return {
    records: {
      get: (key) => recordsOf(key.collection, key.id).get(key),
      put: (key, record, expectedVersion) =>
        recordsOf(key.collection, key.id).put(key, record, expectedVersion),
      delete: (key, expectedVersion) =>
        recordsOf(key.collection, key.id).delete(key, expectedVersion),
      async list(collection, query) {
        const vaultId = vaultIdOf(collection)
        if (vaultId !== undefined)
          return storeOf(vaultId).records.list(collection, query)
        const lists = await Promise.all(
          stores.map(({ records }) => records.list(collection, query)),
        )
        const byId = lists
          .flat()
          .sort((left, right) => (left.id < right.id ? -1 : 1))
        return limitBytes(byId.slice(0, query.limit), query.maxBytes)
      },
    },
    blobs: {
      read: (id) => blobsOf(id).read(id),
      write: (id, content) => blobsOf(id).write(id, content),
      delete: (id) => blobsOf(id).delete(id),
    },
  }
}

/**
 * Ends the merged page where each store ends its own: with the record that reaches `maxBytes`.
 * The records that one store left out come before later records of the others.
 */
function limitBytes(
  records: readonly ListedRecord[],
  maxBytes = Number.POSITIVE_INFINITY,
): readonly ListedRecord[] {
  let bytes = 0
  return records.filter(({ body }) => {
    const isIncluded = bytes < maxBytes
    bytes += body.length
    return isIncluded
  })
}

/**
 * The vault that a collection such as `items/{vaultId}` belongs to, or undefined for a collection
 * with one record for each vault.
 */
function vaultIdOf(collection: string): string | undefined {
  const slash = collection.indexOf('/')
  return slash < 0 ? undefined : collection.slice(slash + 1)
}
