/** Maps records and blobs to the scope of their keys, and to their keys in the inner store. */

import { type RecordKey, ringCollection } from '../../store.js'

/**
 * Returns the part of a collection after the first `/`, such as a vault's id, or the entire
 * collection if there is no `/` or nothing after it.
 */
export function scopeOfCollection(collection: string): string {
  return collection.slice(collection.indexOf('/') + 1) || collection
}

/**
 * Returns the part of a blob's id before the first `/`, or the entire id if there is no `/` or
 * nothing before it.
 */
export function scopeOfBlob(id: string): string {
  const end = id.indexOf('/')
  return end < 1 ? id : id.slice(0, end)
}

/**
 * Returns the collection of the inner store. It is the same, except that `keys` and everything that
 * begins with `keys/` get one more `keys/` in front, so that only key rings are in `keys`.
 */
export function innerCollection(collection: string): string {
  const isReserved = collection === ringCollection || collection.startsWith(`${ringCollection}/`)
  return isReserved ? `${ringCollection}/${collection}` : collection
}

/** Returns the key of a record in the inner store. */
export function innerKey(key: RecordKey): RecordKey {
  const collection = innerCollection(key.collection)
  return collection === key.collection ? key : { collection, id: key.id }
}

/** Returns the id of the inner blob that contains the envelope of a blob. */
export function toInnerBlobId(id: string): string {
  return `${id}.sealed`
}
