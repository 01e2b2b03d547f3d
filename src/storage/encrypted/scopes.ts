/** Which keys a record or a content belongs to, and where it lies in the store beneath. */

import type { RecordKey } from '../../store.js'
import { ringCollection } from './keys/key-ring.js'

/** What stands behind the first `/` of a collection, such as a vault's id; else the collection itself. */
export function scopeOfCollection(collection: string): string {
  return collection.slice(collection.indexOf('/') + 1) || collection
}

/** What stands before the first `/` of a blob's id; else the id itself. */
export function scopeOfBlob(id: string): string {
  const end = id.indexOf('/')
  return end < 1 ? id : id.slice(0, end)
}

/**
 * The collection of the store beneath. It is the same, but for `keys` and what begins with `keys/`, which get one more
 * `keys/` in front, so that nothing lies among the rings.
 */
export function innerCollection(collection: string): string {
  const isTaken = collection === ringCollection || collection.startsWith(`${ringCollection}/`)
  return isTaken ? `${ringCollection}/${collection}` : collection
}

/** The key of the store beneath. */
export function innerKey(key: RecordKey): RecordKey {
  const collection = innerCollection(key.collection)
  return collection === key.collection ? key : { collection, id: key.id }
}

/** The id of the store beneath under which the envelope of a content lies. */
export function toInnerBlobId(id: string): string {
  return `${id}.sealed`
}
